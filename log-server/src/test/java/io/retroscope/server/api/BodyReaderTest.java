package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.memory.MemoryBudget;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.Test;

class BodyReaderTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Deque<Content.Chunk> coming = new ArrayDeque<>();
  private final List<Integer> released = new ArrayList<>();
  private final List<RequestBody> bodies = new ArrayList<>();
  private final List<Integer> refusals = new ArrayList<>();
  private final MemoryBudget memory = new MemoryBudget(1 << 20);
  private int sent;
  private int demands;

  @Test
  void run_bodyInPieces_isReadWholeAndCharged() {
    BodyReader reader = reader(1_000);
    send(100, false);
    reader.run();
    assertThat(demands).isEqualTo(1);
    send(50, false);
    send(0, true);
    reader.run();

    assertThat(bodies).singleElement().satisfies(body -> assertThat(body.bytes()).hasSize(150));
    assertThat(memory.usedBytes()).isEqualTo(150);
    assertThat(released).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void run_bodyThatIsRefused_releasesEachBufferOnce() {
    BodyReader slow = reader(1_000);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(20));
    send(10, false);
    slow.run();
    BodyReader tooLong = reader(5);
    send(10, false);
    tooLong.run();

    assertThat(refusals).containsExactly(408, 413);
    assertThat(bodies).isEmpty();
    assertThat(released).containsExactly(0, 1);
  }

  private BodyReader reader(long maxBytes) {
    return new BodyReader(
        request(), maxBytes, memory, nanos::get, bodies::add, e -> refusals.add(e.status()));
  }

  /** A buffer that throws when it is released twice, as those of the web server do. */
  private void send(int length, boolean last) {
    int number = sent++;
    coming.add(Content.Chunk.from(ByteBuffer.allocate(length), last, () -> released.add(number)));
  }

  private Request request() {
    return (Request)
        Proxy.newProxyInstance(
            Request.class.getClassLoader(),
            new Class<?>[] {Request.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "read" -> coming.poll();
                  case "getLength" -> -1L;
                  case "demand" -> {
                    demands++;
                    yield null;
                  }
                  case "addHttpStreamWrapper" -> null;
                  default -> throw new AssertionError(method);
                });
  }
}
