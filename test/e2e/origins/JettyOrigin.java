/** Three pages in Jetty, by servlet mappings. */

import javax.servlet.http.*;
import org.eclipse.jetty.server.*;
import org.eclipse.jetty.servlet.*;
public class JettyOrigin {
  static void serve(ServletContextHandler c, String pattern, String page) {
    c.addServlet(new ServletHolder(new HttpServlet() {
      protected void doGet(HttpServletRequest q, HttpServletResponse s) throws java.io.IOException { s.getWriter().print(page); }
    }), pattern);
  }
  public static void main(String[] a) throws Exception {
    Server server = new Server(new java.net.InetSocketAddress("127.0.0.1", Integer.parseInt(a[0])));
    ServletContextHandler c = new ServletContextHandler();
    c.setContextPath("/");
    serve(c, "/*", "PAGE-other"); serve(c, "/shop/*", "PAGE-shop"); serve(c, "/shop/vip/*", "PAGE-vip");
    server.setHandler(c); server.start(); server.join();
  }
}
