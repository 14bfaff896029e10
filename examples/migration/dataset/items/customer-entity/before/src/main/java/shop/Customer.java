package shop;

import javax.persistence.Entity;
import javax.persistence.Id;

@Entity
public class Customer {
    @Id
    private long id;

    @javax.persistence.Column(name = "full_name", nullable = false)
    private String name;

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }
}
