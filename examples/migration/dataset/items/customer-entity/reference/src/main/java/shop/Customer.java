package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class Customer {
    @Id
    private long id;

    @jakarta.persistence.Column(name = "full_name", nullable = false)
    private String name;

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }
}
