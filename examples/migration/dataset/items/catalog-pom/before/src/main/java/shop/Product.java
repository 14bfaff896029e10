package shop;

import javax.persistence.Column;
import javax.persistence.Entity;
import javax.persistence.Id;

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
