package shop;

/** How a customer is greeted. */
public final class Greeting {
    private Greeting() {}

    public static String to(Customer customer) {
        return "Hello, " + customer.name() + "!";
    }
}
