// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LoopbackRelayTest {
  private static final long SEED = 20261121;

  private ServerSocket target;
  private LoopbackRelay relay;
  private Socket client;
  private Socket accepted;

  @BeforeEach
  void connect() throws IOException {
    target = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    relay = LoopbackRelay.to(target.getLocalPort());
    client = new Socket(InetAddress.getLoopbackAddress(), relay.port());
    accepted = target.accept();
  }

  @AfterEach
  void close() throws IOException {
    relay.close();
    client.close();
    accepted.close();
    target.close();
  }

  @Test
  void delayMillis_bothDirections_holdsBytesForThatLong() throws IOException {
    relay.delayMillis(150);
    long start = System.nanoTime();
    client.getOutputStream().write(7);
    assertThat(accepted.getInputStream().read()).isEqualTo(7);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(150_000_000);

    start = System.nanoTime();
    accepted.getOutputStream().write(8);
    assertThat(client.getInputStream().read()).isEqualTo(8);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(150_000_000);
  }

  @Test
  void delayMillis_loweredWhileBytesAreHeld_letsThemGo() throws IOException {
    relay.delayMillis(60_000);
    client.getOutputStream().write(7);
    relay.delayMillis(0);
    accepted.setSoTimeout(60_000);
    assertThat(accepted.getInputStream().read()).isEqualTo(7);
  }

  @Test
  void pause_untilResumed_letsNothingThrough() throws IOException {
    relay.pause();
    client.getOutputStream().write(7);
    accepted.setSoTimeout(200);
    assertThat(reads(accepted)).isFalse();
    relay.resume();
    accepted.setSoTimeout(60_000);
    assertThat(accepted.getInputStream().read()).isEqualTo(7);
  }

  @Test
  void relay_muchDataUnderChangingDelay_keepsItsOrder() throws Exception {
    byte[] sent = new byte[4 << 20];
    new Random(SEED).nextBytes(sent);
    Thread writer =
        new Thread(
            () -> {
              try {
                client.getOutputStream().write(sent);
                client.shutdownOutput();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    writer.start();
    for (int delay : new int[] {5, 0, 20, 1, 0}) {
      relay.delayMillis(delay);
      Thread.sleep(10);
    }
    byte[] received = accepted.getInputStream().readAllBytes();
    writer.join();
    assertThat(Arrays.equals(received, sent)).isTrue();
  }

  @Test
  void relay_receiverThatDoesNotKeepUp_holdsNoMoreThanItsLimit() throws Exception {
    relay.pause();
    client.setSendBufferSize(16 * 1024);
    client.setTcpNoDelay(true);
    long limit = LoopbackRelay.MAX_HELD_CHUNK_COUNT * 16L * 1024;
    long[] written = {0};
    Thread writer =
        new Thread(
            () -> {
              byte[] chunk = new byte[16 * 1024];
              try {
                while (written[0] < 4 * limit) {
                  client.getOutputStream().write(chunk);
                  written[0] += chunk.length;
                }
              } catch (IOException e) {
                // The relay was closed.
              }
            });
    writer.start();
    writer.join(3_000);
    assertThat(writer.isAlive()).as("the writer is held up").isTrue();
    assertThat(written[0]).isLessThan(2 * limit);
    relay.close();
    writer.join(60_000);
    assertThat(writer.isAlive()).isFalse();
  }

  @Test
  void close_targetGone_endsTheClientsConnection() throws IOException {
    accepted.close();
    client.setSoTimeout(60_000);
    assertThat(client.getInputStream().read()).isEqualTo(-1);
  }

  private static boolean reads(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }
}
