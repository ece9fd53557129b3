// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Badly behaved servers and disks, against a sink in a process with a small heap and a limit on
 * file size. All tests share one process, so that anything left by one affects the next.
 */
@Timeout(120)
class SinkUnderDuressTest {
  private static final int BLOCKS = 400;

  /** The number of blocks sent to a well-behaved server. */
  private static final int WELL = 40;

  @TempDir private static Path directory;
  private static Process service;
  private static BufferedReader replies;

  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /** The service: passes 40 MB of blocks to a sink for the address in each line. */
  static final class Service {
    private static long number;

    public static void main(String[] arguments) throws IOException {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        System.out.println(serve(URI.create(words[1]), words[0], Path.of(words[2])));
      }
    }

    private static String serve(URI server, String task, Path spill) throws IOException {
      HttpSinkBuilder builder =
          HttpSink.builder()
              .server(server)
              .maxMemoryBytes(1 << 20)
              .requestTimeout(Duration.ofMillis(500))
              .backoff(Duration.ofMillis(5), Duration.ofMillis(50))
              .closeTimeout(Duration.ofMillis(task.equals("well") ? 60_000 : 300));
      if (!task.equals("server")) {
        builder.spill(spill, 1 << 30);
      }
      HttpSink sink = builder.build();
      int count = task.equals("well") ? WELL : BLOCKS;
      for (int i = 0; i < count; i++) {
        sink.accept(Blocks.block(++number, 1, 100_000));
        if (task.equals("well") && i % 5 == 0) {
          sink.flush(Duration.ofSeconds(60));
        }
        if (task.equals("delete") && i % 100 == 99) {
          delete(spill);
        }
      }
      for (int i = 0; i < 200 && sink.statistics().retries() < 3 && !task.equals("well"); i++) {
        sink.flush(Duration.ofMillis(50));
      }
      sink.close();
      return "lost %d retried %b".formatted(sink.lostEventCount(), sink.statistics().retries() > 0);
    }

    private static void delete(Path spill) throws IOException {
      try (Stream<Path> files = Files.list(spill)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".spill")).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @BeforeAll
  static void start() throws IOException {
    String command =
        ("ulimit -f 4000; exec '%s' -Xmx24m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
                + " -XX:-UsePerfData -cp '%s' '%s'")
            .formatted(
                ProcessHandle.current().info().command().orElse("java"),
                System.getProperty("java.class.path"),
                Service.class.getName());
    service =
        new ProcessBuilder("sh", "-c", command)
            .redirectError(directory.resolve("errors").toFile())
            .start();
    replies =
        new BufferedReader(new InputStreamReader(service.getInputStream(), StandardCharsets.UTF_8));
  }

  @AfterAll
  static void stop() throws IOException, InterruptedException {
    service.getOutputStream().close();
    assertThat(service.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(service.exitValue()).isZero();
    assertThat(Files.readString(directory.resolve("errors")))
        .doesNotContain("OutOfMemory")
        .doesNotContain("Exception in thread");
  }

  /** The outcome of 40 MB of events: a reply in time, or none. */
  private static String serve(String task, URI server, String spill) throws IOException {
    PrintStream to = new PrintStream(service.getOutputStream(), true, StandardCharsets.UTF_8);
    to.println(task + " " + server + " " + directory.resolve(spill));
    return String.valueOf(replies.readLine());
  }

  private interface Behaviour {
    void serve(InputStream in, OutputStream out) throws IOException;
  }

  /**
   * Checks that the events that a server does not accept are lost, and that the service survives.
   */
  private void assertOutlived(Behaviour behaviour) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread accepting = new Thread(() -> accept(server, behaviour), "bad-server");
      accepting.setDaemon(true);
      accepting.start();
      URI uri = URI.create("http://127.0.0.1:" + server.getLocalPort());
      assertThat(serve("server", uri, "none")).isEqualTo("lost " + BLOCKS + " retried true");
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private void accept(ServerSocket server, Behaviour behaviour) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        sockets.add(socket);
        Thread serving =
            new Thread(
                () -> {
                  try (socket) {
                    behaviour.serve(socket.getInputStream(), socket.getOutputStream());
                  } catch (IOException e) {
                    // The service has ended the connection.
                  }
                },
                "bad-connection");
        serving.setDaemon(true);
        serving.start();
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void answer(InputStream in, OutputStream out, String head) throws IOException {
    byte[] request = new byte[1 << 16];
    boolean post = in.read(request) > 3 && request[0] == 'P';
    String line = post ? head : "404 Not Found\r\nContent-Length: 0\r\n\r\n";
    out.write(("HTTP/1.1 " + line).getBytes(StandardCharsets.US_ASCII));
    out.flush();
    if (!post) {
      throw new IOException("no socket");
    }
  }

  @Test
  void server_dead_isOutlived() throws IOException {
    assertThat(serve("server", URI.create("http://127.0.0.1:1"), "none"))
        .isEqualTo("lost " + BLOCKS + " retried true");
  }

  @Test
  void server_hanging_isOutlived() throws IOException {
    assertOutlived((in, out) -> in.transferTo(OutputStream.nullOutputStream()));
  }

  @Test
  void server_slow_isOutlived() throws IOException {
    assertOutlived(
        (in, out) -> {
          answer(in, out, "200 OK\r\nContent-Length: 100000\r\n\r\n");
          for (int i = 0; i < 100_000; i++) {
            out.write(' ');
            out.flush();
            in.read(new byte[1_000]);
          }
        });
  }

  @Test
  void server_endless_isOutlived() throws IOException {
    assertOutlived(
        (in, out) -> {
          answer(in, out, "200 OK\r\n\r\n");
          byte[] part = new byte[1 << 16];
          for (int i = 0; i < 10_000; i++) {
            out.write(part);
          }
        });
  }

  @Test
  void server_redirecting_isOutlived() throws IOException {
    assertOutlived(
        (in, out) ->
            answer(in, out, "302 Found\r\nLocation: /v1/events\r\nContent-Length: 0\r\n\r\n"));
  }

  @Test
  void server_lying_isOutlived() throws IOException {
    assertOutlived((in, out) -> answer(in, out, "200 OK\r\nContent-Length: 9\r\n\r\n<p>Hi</p>"));
  }

  @Test
  void spill_deletedAgainAndAgain_isOutlived() throws IOException {
    assertThat(serve("delete", URI.create("http://127.0.0.1:1"), "deleted"))
        .endsWith("retried true");
    try (FakeLogServer server = new FakeLogServer()) {
      assertThat(serve("well", server.uri(), "deleted")).isEqualTo("lost 0 retried false");
      assertThat(new TreeSet<>(server.numbers())).hasSizeGreaterThanOrEqualTo(WELL);
    }
  }

  /**
   * The process may not write files of more than 2 MB, which simulates a full disk within a
   * segment.
   */
  @Test
  void spill_diskFull_whatFitsIsKeptAndTheRestIsCounted() throws IOException {
    String reply = serve("full", URI.create("http://127.0.0.1:1"), "full");
    assertThat(reply).matches("lost [1-9][0-9]* retried true");
    long lost = Long.parseLong(reply.split(" ", -1)[1]);
    assertThat(lost).isLessThan(BLOCKS);
    try (FakeLogServer server = new FakeLogServer()) {
      assertThat(serve("well", server.uri(), "full")).isEqualTo("lost 0 retried false");
      assertThat(new TreeSet<>(server.numbers())).hasSize((int) (BLOCKS - lost) + WELL);
    }
    assertThat(Files.readString(directory.resolve("errors"))).contains("cannot spill to disk");
  }
}
