// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.eclipse.jetty.ee10.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** A real container on a free loopback port: one servlet with filters, with a page for 410. */
interface ServletContainer {
  /** The path to which a response with status 410 is dispatched. */
  String ERROR_PAGE = "/error-page";

  /** A filter and the dispatches to which it is mapped. */
  record Mapped(String name, Filter filter, EnumSet<DispatcherType> dispatches) {}

  int port();

  void stop() throws Exception;

  static ServletContainer tomcat(Path folder, HttpServlet servlet, List<Mapped> filters)
      throws LifecycleException {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.getConnector().setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", folder.toString());
    Wrapper wrapper = Tomcat.addServlet(context, "servlet", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.addMapping("/*");
    ErrorPage gone = new ErrorPage();
    gone.setErrorCode(410);
    gone.setLocation(ERROR_PAGE);
    context.addErrorPage(gone);
    for (Mapped mapped : filters) {
      FilterDef filter = new FilterDef();
      filter.setFilterName(mapped.name());
      filter.setFilter(mapped.filter());
      filter.setAsyncSupported("true");
      context.addFilterDef(filter);
      FilterMap mapping = new FilterMap();
      mapping.setFilterName(mapped.name());
      mapping.addURLPattern("/*");
      mapped.dispatches().forEach(dispatch -> mapping.setDispatcher(dispatch.name()));
      context.addFilterMap(mapping);
    }
    tomcat.start();
    return new ServletContainer() {
      @Override
      public int port() {
        return tomcat.getConnector().getLocalPort();
      }

      @Override
      public void stop() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
      }
    };
  }

  static ServletContainer jetty(HttpServlet servlet, List<Mapped> filters) throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler("/");
    ServletHolder holder = new ServletHolder("servlet", servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    for (Mapped mapped : filters) {
      FilterHolder filter = new FilterHolder(mapped.filter());
      filter.setName(mapped.name());
      filter.setAsyncSupported(true);
      context.addFilter(filter, "/*", mapped.dispatches());
    }
    ErrorPageErrorHandler errors = new ErrorPageErrorHandler();
    errors.addErrorPage(410, ERROR_PAGE);
    context.setErrorHandler(errors);
    server.setHandler(context);
    server.start();
    return new ServletContainer() {
      @Override
      public int port() {
        return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
      }

      @Override
      public void stop() throws Exception {
        server.stop();
      }
    };
  }
}
