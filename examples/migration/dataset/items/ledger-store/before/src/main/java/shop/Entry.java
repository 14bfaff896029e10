package shop;

import javax.persistence.Entity;
import javax.persistence.Id;

@Entity
public class Entry {
    @Id
    long id;

    long cents;
}
