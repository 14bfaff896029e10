package shop;

import java.time.LocalDate;

/** The days of an offer, the first and the last included. */
public record Period(LocalDate first, LocalDate last) {
    public Period {
        if (last.isBefore(first)) throw new IllegalArgumentException("A period does not end before it begins.");
    }

    public boolean includes(LocalDate day) {
        return !day.isBefore(first) && !day.isAfter(last);
    }
}
