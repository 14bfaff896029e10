package shop;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Product {
    @Id
    private String number;

    @Column(name = "label")
    private String name;

    public String label() {
        return number + " " + name;
    }
}
