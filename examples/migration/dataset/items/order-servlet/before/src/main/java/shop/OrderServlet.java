package shop;

import java.io.IOException;
import javax.servlet.ServletException;
import javax.servlet.annotation.WebServlet;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Answers with the total of an order. */
@WebServlet("/orders")
public class OrderServlet extends HttpServlet {
    private final OrderBook orders = new OrderBook();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String id = orderOf(request);
        response.getWriter().println(orders.totalCents(id));
    }

    private static String orderOf(HttpServletRequest request) throws ServletException {
        String id = request.getParameter("id");
        if (id == null) throw new ServletException("Which order? Add ?id=…");
        return id;
    }
}
