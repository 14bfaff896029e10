package jakarta.servlet.http;

import jakarta.servlet.ServletResponse;

public interface HttpServletResponse extends ServletResponse {}
