// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.server.access.HostNames;
import io.retroscope.server.cluster.ReadingRequest.What;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** A partition at another server. Thread-safe, except for each single scan. */
final class HttpPart implements PartView {
  /**
   * The time until the head of an answer, and for each piece, which includes the search for it.
   * Within it, a server that answers no other request is given up sooner.
   */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final int MAX_REFUSAL_BYTES = 4_096;
  private static final int MAX_PASSED_BYTES = 64 << 20;

  private final Server server;
  private final Opened opened;

  /** Whether the reading at the server ends with this; it serves any number of scans. */
  private final boolean isFirst;

  /**
   * Another server.
   *
   * @param token of the cluster
   * @param openTimeout the time for opening a reading
   * @param watch closes scans that take too long
   */
  record Server(
      HttpClient client,
      URI address,
      String token,
      Duration openTimeout,
      ScheduledExecutorService watch) {
    /** Sends a request, and reads its answer; each takes no longer than a time. */
    <T> T ask(String path, Object request, Class<T> type, Duration timeout)
        throws IOException, InterruptedException {
      try (InputStream body = post(path, request, timeout)) {
        Watch wait = new Watch(this, timeout, () -> close(body));
        try (wait) {
          return ClusterJson.MAPPER.readValue(body, type);
        }
      } catch (JacksonException e) {
        throw new IOException(
            "the answer of %s cannot be read: it breaks off, or is of another version of Retroscope"
                .formatted(address),
            e);
      }
    }

    /** Sends the request of a client, with its own token, and reads the answer. */
    Cluster.Passed pass(String path, HttpRequest.Builder request)
        throws IOException, InterruptedException {
      checkSecrecy();
      HttpResponse<InputStream> response =
          sent(request.uri(address.resolve(path)).timeout(TIMEOUT).build(), TIMEOUT);
      String type = response.headers().firstValue("Content-Type").orElse(Readings.JSON);
      try (InputStream body = response.body()) {
        Watch wait = new Watch(this, TIMEOUT, () -> close(body));
        try (wait) {
          return new Cluster.Passed(response.statusCode(), type, whole(body));
        }
      }
    }

    private byte[] whole(InputStream body) throws IOException {
      byte[] bytes = body.readNBytes(MAX_PASSED_BYTES);
      if (body.read() >= 0) {
        throw new IOException("%s sends more than %,d bytes".formatted(address, MAX_PASSED_BYTES));
      }
      return bytes;
    }

    /** Without TLS the token could be read on the way, and all events with it. */
    private void checkSecrecy() throws IOException {
      boolean isNear = HostNames.isLoopback(String.valueOf(address.getHost()));
      if (!isNear && !"https".equals(address.getScheme())) {
        throw new IOException(
            "the token of the cluster is not sent to %s, because that needs https: start all servers with --tls-cert and --tls-key, and advertise https addresses"
                .formatted(address));
      }
    }

    InputStream post(String path, Object request, Duration timeout)
        throws IOException, InterruptedException {
      checkSecrecy();
      HttpRequest post =
          HttpRequest.newBuilder(address.resolve(path))
              .header("Authorization", "Bearer " + token)
              .header(Readings.VERSION_HEADER, Readings.VERSION)
              .header("Content-Type", Readings.JSON)
              .timeout(timeout)
              .POST(BodyPublishers.ofByteArray(ClusterJson.MAPPER.writeValueAsBytes(request)))
              .build();
      HttpResponse<InputStream> response = sent(post, timeout);
      if (response.statusCode() == 200) {
        return response.body();
      }
      try (InputStream body = response.body()) {
        throw new IOException(
            "%s answers %d: %s"
                .formatted(
                    address, response.statusCode(), sentence(body.readNBytes(MAX_REFUSAL_BYTES))));
      }
    }

    /** The sentence of a problem, which users read, or another text as it is. */
    private static String sentence(byte[] refusal) {
      String text = new String(refusal, StandardCharsets.UTF_8);
      try {
        return ClusterJson.MAPPER.readTree(refusal).path("detail").asString(text);
      } catch (JacksonException e) {
        return text;
      }
    }

    /** Waits for the head of an answer. */
    private HttpResponse<InputStream> sent(HttpRequest request, Duration timeout)
        throws IOException, InterruptedException {
      CompletableFuture<HttpResponse<InputStream>> sent =
          client.sendAsync(request, BodyHandlers.ofInputStream());
      Watch wait = new Watch(this, timeout, () -> sent.cancel(true));
      try (wait) {
        return sent.get();
      } catch (InterruptedException e) {
        sent.cancel(true);
        throw e;
      } catch (CancellationException e) {
        throw new IOException(address + " does not answer", e);
      } catch (ExecutionException e) {
        throw new IOException(address + " does not answer: " + e.getMessage(), e);
      }
    }
  }

  static void close(InputStream body) {
    try {
      body.close();
    } catch (IOException e) {
      // It is not used any more.
    }
  }

  HttpPart(Server server, Opened opened) {
    this(server, opened, true);
  }

  private HttpPart(Server server, Opened opened, boolean isFirst) {
    this.server = server;
    this.opened = opened;
    this.isFirst = isFirst;
  }

  /**
   * Opens a partition at a server.
   *
   * @throws IOException if it does not answer, or does not have the partition
   */
  static HttpPart open(Server server, Opening opening) throws IOException, InterruptedException {
    return new HttpPart(
        server, server.ask(Readings.PATH, opening, Opened.class, server.openTimeout()));
  }

  @Override
  public Facts facts() {
    return opened.facts();
  }

  @Override
  public Doubts doubts(HlcRange range) {
    return request(ReadingRequest.of(range), Doubts.class);
  }

  @Override
  public List<Presence> presences() {
    return List.of(request(ReadingRequest.of(What.PRESENCES), ListedPresence[].class));
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    return request(ReadingRequest.mayWrite(node, logs), Boolean.class);
  }

  @Override
  public BlockCount blockCount() {
    return request(ReadingRequest.of(What.BLOCK_COUNT), BlockCount.class);
  }

  @Override
  public Tile tile(TileRequest wanted) {
    try {
      return request(ReadingRequest.of(wanted), TileAnswer.class).tile(wanted.address());
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private <T> T request(ReadingRequest request, Class<T> type) {
    try {
      return server.ask(path(), request, type, TIMEOUT);
    } catch (IOException e) {
      throw failed(e);
    } catch (InterruptedException e) {
      throw failed(interrupted());
    }
  }

  private String path() {
    return Readings.PATH + "/" + opened.id();
  }

  private static IOException interrupted() {
    Thread.currentThread().interrupt();
    return new IOException("interrupted");
  }

  @Override
  public PieceFeed scan(Scan scan) {
    try {
      InputStream body = server.post(path(), ReadingRequest.of(scan), TIMEOUT);
      return new Watched(PieceFormat.read(body, scan), server);
    } catch (IOException e) {
      throw failed(e);
    } catch (InterruptedException e) {
      throw failed(interrupted());
    }
  }

  /** A feed that is closed if a piece takes too long, or the server hangs. */
  private record Watched(PieceFeed feed, Server server) implements PieceFeed {
    @Override
    public @Nullable Piece next() throws IOException {
      Watch wait = new Watch(server, TIMEOUT, feed::close);
      try (wait) {
        return feed.next();
      }
    }

    @Override
    public void close() {
      feed.close();
    }
  }

  private StoreException failed(Exception e) {
    return new StoreException(
        "the partition cannot be read at " + server.address() + ": " + e.getMessage(), e);
  }

  @Override
  public HttpPart another() {
    return new HttpPart(server, opened, false);
  }

  /** The server closes readings that are unused, if it does not get this. */
  @Override
  public void close() {
    if (!isFirst) {
      return;
    }
    try {
      Boolean unused =
          server.ask(path(), ReadingRequest.of(What.CLOSE), Boolean.class, server.openTimeout());
    } catch (IOException e) {
      // The server is gone, or has closed the reading.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
