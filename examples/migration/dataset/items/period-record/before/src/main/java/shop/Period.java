package shop;

import java.time.LocalDate;
import java.util.Objects;

/** The days of an offer, the first and the last included. */
public final class Period {
    private final LocalDate first;
    private final LocalDate last;

    public Period(LocalDate first, LocalDate last) {
        if (last.isBefore(first)) throw new IllegalArgumentException("A period does not end before it begins.");
        this.first = first;
        this.last = last;
    }

    public LocalDate first() {
        return first;
    }

    public LocalDate last() {
        return last;
    }

    public boolean includes(LocalDate day) {
        return !day.isBefore(first) && !day.isAfter(last);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Period && ((Period) other).first.equals(first) && ((Period) other).last.equals(last);
    }

    @Override
    public int hashCode() {
        return Objects.hash(first, last);
    }
}
