package shop;

import java.util.Map;

/** What was ordered, by the number of the order. */
public class OrderBook {
    private final Map<String, Long> totals = Map.of("A-1", 1999L, "A-2", 450L);

    public long totalCents(String id) {
        return totals.getOrDefault(id, 0L);
    }
}
