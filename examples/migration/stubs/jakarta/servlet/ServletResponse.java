package jakarta.servlet;

import java.io.IOException;
import java.io.PrintWriter;

public interface ServletResponse {
    PrintWriter getWriter() throws IOException;

    void setCharacterEncoding(String encoding);
}
