package shop;

import java.util.Objects;

/** An amount of money: whole cents of a currency. */
public record Money(long cents, String currency) {
    public Money(long cents, String currency) {
        this.currency = Objects.requireNonNull(currency);
        if (cents < 0) {
            throw new IllegalArgumentException("An amount is not negative.");
        }
        this.cents = cents;
    }
}
