// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.otelagent;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** An application that sends a request to itself, and prints the stamp that it carries. */
final class PlainApplication {
  private PlainApplication() {}

  public static void main(String[] args) throws Exception {
    System.out.println(stampOfARequest());
  }

  static String stampOfARequest() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String stamp = exchange.getRequestHeaders().getFirst("x-hlc");
          byte[] answer = String.valueOf(stamp).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try {
      URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } finally {
      server.stop(0);
    }
  }
}
