package shop;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;

@WebServlet(value = "/orders")
public class OrderServlet extends HttpServlet {
  private final OrderBook orders = new OrderBook();

  // Reads the parameter first: it is needed below.
  private static String orderOf(HttpServletRequest request) throws ServletException {
    String id = request.getParameter("id");
    if (id == null) throw new ServletException("Which order? Add ?id=…");
    return id;
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
    String id = orderOf(request);
    response.getWriter().println(orders.totalCents(id));
  }
}
