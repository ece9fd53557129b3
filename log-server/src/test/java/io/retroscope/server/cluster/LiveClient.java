// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that follows a live query. */
final class LiveClient implements AutoCloseable {
  private final InputStream body;
  private final List<String> rows;
  private final List<String> others;
  private String id;
  private boolean closed;

  /** Begins to follow; the query runs when the constructor returns. */
  LiveClient(URI server, String rql) throws Exception {
    this(server, rql, "", List.of(), List.of());
  }

  private LiveClient(
      URI server, String rql, String after, List<String> rowsBefore, List<String> othersBefore)
      throws Exception {
    id = after;
    rows = new ArrayList<>(rowsBefore);
    others = new ArrayList<>(othersBefore);
    String query = URLEncoder.encode(rql, StandardCharsets.UTF_8);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve("/v1/stream?query=" + query));
    if (!after.isEmpty()) {
      request.header("Last-Event-ID", after);
    }
    HttpResponse<InputStream> response =
        HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofInputStream());
    body = response.body();
    if (response.statusCode() != 200) {
      throw new IOException(new String(body.readAllBytes(), StandardCharsets.UTF_8));
    }
    BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    String first = lines.readLine();
    if (first == null) {
      throw new IOException("the stream ended at once");
    }
    Thread reading = new Thread(() -> read(first, lines), "live-client");
    reading.setDaemon(true);
    reading.start();
  }

  private void read(String first, BufferedReader lines) {
    try {
      String type = "";
      String newId = "";
      for (String line = first; line != null; line = lines.readLine()) {
        if (line.startsWith("event: ")) {
          type = line.substring("event: ".length());
        } else if (line.startsWith("id: ")) {
          newId = line.substring("id: ".length());
        } else if (line.startsWith("data: ")) {
          take(type, line.substring("data: ".length()), newId);
        }
      }
    } catch (IOException e) {
      // It was closed, or its server was.
    }
  }

  private synchronized void take(String type, String data, String newId) {
    if (closed) {
      return;
    }
    id = newId.isEmpty() ? id : newId;
    if (type.equals("row")) {
      rows.add(data);
    } else if (!type.equals("progress")) {
      others.add(type + " " + data);
    }
  }

  /** The rows so far. */
  synchronized List<String> rows() {
    return List.copyOf(rows);
  }

  /** The other events so far, except for progress. */
  synchronized List<String> others() {
    return List.copyOf(others);
  }

  /** Continues at another server, after this client was closed. */
  synchronized LiveClient resumedAt(URI server, String rql) throws Exception {
    return new LiveClient(server, rql, id, rows, others);
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true; // From now on its rows and its id remain.
    }
    body.close();
  }
}
