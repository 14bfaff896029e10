package shop;

import java.time.LocalDate;

/** The days of an offer, the first and the last included. */
public record Period(LocalDate first, LocalDate last) {
    public boolean includes(LocalDate day) {
        return !day.isBefore(first) && !day.isAfter(last);
    }
}
