package shop;

import java.util.Objects;

/** An amount of money: whole cents of a currency. */
public final class Money {
    private final long cents;
    private final String currency;

    public Money(long cents, String currency) {
        if (cents < 0) throw new IllegalArgumentException("An amount is not negative.");
        this.cents = cents;
        this.currency = Objects.requireNonNull(currency);
    }

    public long cents() {
        return cents;
    }

    public String currency() {
        return currency;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Money && ((Money) other).cents == cents && ((Money) other).currency.equals(currency);
    }

    @Override
    public int hashCode() {
        return Objects.hash(cents, currency);
    }
}
