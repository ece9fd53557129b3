// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InterruptibleBodyTest {
  private final List<String> requests = new ArrayList<>();
  private final InterruptibleBody body = new InterruptibleBody(Optional.empty());

  @Test
  void read_buffersInParts_areOneStream() throws IOException {
    subscribe();
    body.onNext(List.of(buffer("ab"), buffer(""), buffer("c")));
    body.onNext(List.of(buffer("d")));
    body.onComplete();
    assertThat(body.read()).isEqualTo('a');
    assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("bcd");
    assertThat(body.read()).isEqualTo(-1);
    assertThat(requests).containsOnly("request 1").hasSize(3);
  }

  @Test
  void read_brokenOff_fails() {
    subscribe();
    body.onError(new IOException("reset"));
    assertThatThrownBy(body::read)
        .isInstanceOf(IOException.class)
        .hasMessage("the response ended early: reset");
  }

  @Test
  void read_interrupted_ends() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(body::read).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void close_subscription_isCancelled() {
    subscribe();
    body.close();
    assertThat(requests).last().isEqualTo("cancel");
  }

  /** Covers Ctrl-C while a live query waits for its first row. */
  @Test
  void run_interruptedWhileAStreamIsQuiet_ends() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CountDownLatch answered = new CountDownLatch(1);
      Thread quiet = daemon(() -> answerAndSayNothing(server, answered));
      quiet.start();
      Thread asking =
          daemon(
              () -> {
                URI address = URI.create("http://127.0.0.1:" + server.getLocalPort());
                try (RqlClient client = new RqlClient(address)) {
                  client.run("SELECT STREAM a FROM l", new NoSink());
                }
              });
      asking.start();
      assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
      asking.interrupt();
      await().atMost(60, TimeUnit.SECONDS).until(() -> !asking.isAlive());
      quiet.interrupt();
    }
  }

  private static void answerAndSayNothing(ServerSocket server, CountDownLatch answered)
      throws Exception {
    try (Socket socket = server.accept()) {
      socket.getInputStream().read(new byte[4096]);
      socket
          .getOutputStream()
          .write(
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: quiet\n\n"
                  .getBytes(StandardCharsets.US_ASCII));
      answered.countDown();
      new CountDownLatch(1).await(90, TimeUnit.SECONDS);
    }
  }

  private interface Task {
    void run() throws Exception;
  }

  private static Thread daemon(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (Exception e) {
                // The test checks that the thread ends, regardless of how.
              }
            });
    thread.setDaemon(true);
    return thread;
  }

  private static ByteBuffer buffer(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private void subscribe() {
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long count) {
            requests.add("request " + count);
          }

          @Override
          public void cancel() {
            requests.add("cancel");
          }
        });
  }

  private static final class NoSink implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
