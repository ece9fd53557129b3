// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.IntUnaryOperator;
import javax.net.ssl.SSLContext;

/** A webhook that records what it gets, and may fail. */
public final class Hook implements AutoCloseable {
  private final HttpServer server;
  private final List<StructValue> messages = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
  private volatile IntUnaryOperator status = request -> 200;
  private int requests;

  /** Begins to listen at any free port. */
  public Hook() throws IOException {
    this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
  }

  /** A webhook that shows a certificate. */
  static Hook withTls(SSLContext own) throws IOException {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(own));
    return new Hook(server);
  }

  private Hook(HttpServer server) {
    this.server = server;
    server.createContext("/", this::handle);
    server.setExecutor(Executors.newSingleThreadExecutor());
    server.start();
  }

  /** The address. */
  public String url() {
    return (server instanceof HttpsServer ? "https" : "http")
        + "://127.0.0.1:"
        + server.getAddress().getPort();
  }

  /** Answers the nth request with a status; only those with 200 are recorded as messages. */
  void answering(IntUnaryOperator statusOfRequest) {
    status = statusOfRequest;
  }

  private synchronized void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    int answer = status.applyAsInt(requests++);
    bodies.add(body);
    paths.add(exchange.getRequestURI().getPath());
    headers.add(Map.copyOf(exchange.getRequestHeaders()));
    if (answer == 200
        && JsonValues.parse(body) instanceof StructValue object
        && object.fields().get("messages") instanceof SetValue all) {
      for (Value message : all.elements()) {
        messages.add((StructValue) message);
      }
    }
    if (answer / 100 == 3) {
      exchange.getResponseHeaders().add("Location", url() + "/elsewhere");
    }
    exchange.sendResponseHeaders(answer, -1);
    exchange.close();
  }

  /** The accepted messages as {@code alert[item] status}, corrections with an exclamation mark. */
  public List<String> words() {
    return messages.stream()
        .map(
            message ->
                text(message, "episode").replaceAll("@.*", "")
                    + " "
                    + text(message, "status")
                    + (Value.of(true).equals(message.fields().get("correction")) ? "!" : ""))
        .toList();
  }

  List<StructValue> messages() {
    return List.copyOf(messages);
  }

  /** The bodies of all requests. */
  public List<String> bodies() {
    return List.copyOf(bodies);
  }

  List<String> paths() {
    return List.copyOf(paths);
  }

  List<Map<String, List<String>>> headers() {
    return List.copyOf(headers);
  }

  List<String> keys() {
    return messages.stream().map(message -> text(message, "key")).toList();
  }

  /**
   * What somebody believes who reads each message once: the stamp of the end by the episode, or
   * {@code holds}. Repeated keys are read once.
   */
  public Map<String, String> believed() {
    Map<String, String> believed = new TreeMap<>();
    Set<String> seen = new HashSet<>();
    for (StructValue message : messages) {
      if (!seen.add(text(message, "key"))) {
        continue;
      }
      String episode = text(message, "episode");
      if (text(message, "status").equals("firing")) {
        believed.put(episode, "holds");
      } else if (text(message, "endsHlc").isEmpty()) {
        believed.remove(episode);
      } else {
        believed.put(episode, text(message, "endsHlc"));
      }
    }
    return believed;
  }

  static String text(StructValue message, String field) {
    return message.fields().get(field) instanceof StringValue text ? text.value() : "";
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
