package shop;

import java.time.LocalDate;

/** A product at another price for some days. */
public class Offer {
    private final Period period;

    public Offer(LocalDate first, LocalDate last) {
        this.period = new Period(first, last);
    }

    public boolean holdsOn(LocalDate day) {
        return period.includes(day);
    }
}
