package shop;

import java.util.List;

/** What a customer is about to buy. */
public class Basket {
    private final List<Money> prices;

    public Basket(List<Money> prices) {
        this.prices = List.copyOf(prices);
    }

    public Money total() {
        return new Money(prices.stream().mapToLong(Money::cents).sum(), "EUR");
    }
}
