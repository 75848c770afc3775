/** Three pages in Tomcat, by servlet mappings; with a third argument it takes backslashes and encoded slashes. */

import jakarta.servlet.http.*;
import org.apache.catalina.startup.Tomcat;
public class TomcatOrigin {
  static void serve(org.apache.catalina.Context c, String name, String pattern, String page) {
    Tomcat.addServlet(c, name, new HttpServlet() {
      protected void doGet(HttpServletRequest q, HttpServletResponse s) throws java.io.IOException { s.getWriter().print(page); }
    });
    c.addServletMappingDecoded(pattern, name);
  }
  public static void main(String[] a) throws Exception {
    Tomcat t = new Tomcat();
    t.setBaseDir(a[1]);
    t.setHostname("127.0.0.1");
    t.setPort(Integer.parseInt(a[0]));
    var k = t.getConnector();
    k.setProperty("address", "127.0.0.1");
    if (a.length > 2) { k.setEncodedSolidusHandling("decode"); k.setProperty("relaxedPathChars", "\\[]|^{}"); k.setAllowBackslash(true); }
    var c = t.addContext("", a[1]);
    serve(c, "other", "/*", "PAGE-other"); serve(c, "shop", "/shop/*", "PAGE-shop"); serve(c, "vip", "/shop/vip/*", "PAGE-vip");
    t.start(); t.getServer().await();
  }
}
