// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import java.util.Optional;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;

/** The port of the API: HTTP/1.1 and HTTP/2, plain or over TLS. */
final class WebConnector {
  private final Optional<ServerCertificate> certificate;
  private volatile String host = "";
  private volatile int port;

  WebConnector(Optional<ServerCertificate> certificate) {
    this.certificate = certificate;
  }

  /** Sets the address to listen on, before the web server starts. */
  void at(String host, int port) {
    this.host = host;
    this.port = port;
  }

  /** The connector of a web server that starts. */
  Connector connector(Server server, HttpConfiguration configuration) {
    ServerConnector connector =
        certificate
            .map(shown -> secure(server, configuration, shown))
            .orElseGet(() -> plain(server, configuration));
    connector.setHost(host);
    connector.setPort(port);
    return connector;
  }

  private static ServerConnector plain(Server server, HttpConfiguration configuration) {
    return new ServerConnector(
        server,
        new HttpConnectionFactory(configuration),
        withoutSockets(new HTTP2CServerConnectionFactory(configuration)));
  }

  private static ServerConnector secure(
      Server server, HttpConfiguration configuration, ServerCertificate shown) {
    HttpConfiguration https = new HttpConfiguration(configuration);
    // The gate checks names, because it allows more of them than the certificate contains.
    https.addCustomizer(new SecureRequestCustomizer(false));
    HttpConnectionFactory http1 = new HttpConnectionFactory(https);
    ALPNServerConnectionFactory choice = new ALPNServerConnectionFactory();
    choice.setDefaultProtocol(http1.getProtocol());
    return new ServerConnector(
        server,
        new SslConnectionFactory(shown.factory(), choice.getProtocol()),
        choice,
        withoutSockets(new HTTP2ServerConnectionFactory(https)),
        http1);
  }

  /** A WebSocket is opened over HTTP/1.1, so that its upgrade passes the gate. */
  private static AbstractHTTP2ServerConnectionFactory withoutSockets(
      AbstractHTTP2ServerConnectionFactory http2) {
    http2.setConnectProtocolEnabled(false);
    return http2;
  }
}
