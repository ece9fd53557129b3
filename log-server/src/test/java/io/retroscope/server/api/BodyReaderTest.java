// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Components;
import org.eclipse.jetty.server.Context;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BodyReaderTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Deque<Content.Chunk> coming = new ArrayDeque<>();
  private final List<Integer> released = new ArrayList<>();
  private final List<RequestBody> bodies = new ArrayList<>();
  private final List<Integer> refusals = new ArrayList<>();
  private final MemoryBudget memory = new MemoryBudget(1 << 20);
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final List<HttpStream> completions = new ArrayList<>();
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

  @Test
  void run_slowBodyThatIsComplete_isTaken() {
    BodyReader reader = reader(1_000);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(20));
    send(10, true);
    reader.run();
    assertThat(bodies).hasSize(1);
    assertThat(refusals).isEmpty();
  }

  @Test
  void run_noMemory_takesNothingMoreUntilThereIsSome() {
    Charge half = memory.charge(memory.maxChargeBytes());
    try (Charge other = memory.charge(memory.maxChargeBytes())) {
      BodyReader reader = reader(1_000);
      send(100, false);
      send(100, true);
      reader.run();
      assertThat(later).hasSize(1);
      assertThat(coming).hasSize(1);
      assertThat(other.bytes()).isPositive();
    }
    later.remove().run();

    assertThat(bodies).singleElement().satisfies(body -> assertThat(body.bytes()).hasSize(200));
    assertThat(memory.usedBytes()).isEqualTo(half.bytes() + 200);
  }

  @Test
  void run_noMemoryForSeconds_isRefused() {
    try (Charge half = memory.charge(memory.maxChargeBytes());
        Charge other = memory.charge(memory.maxChargeBytes())) {
      BodyReader reader = reader(1_000);
      send(100, true);
      reader.run();
      int waits = 0;
      for (; waits < 100 && !later.isEmpty(); waits++) {
        later.remove().run();
      }
      assertThat(waits).isEqualTo(20);
      assertThat(refusals).containsExactly(503);
      assertThat(released).containsExactly(0);
      assertThat(memory.usedBytes()).isEqualTo(half.bytes() + other.bytes());
    }
  }

  @Test
  void run_moreThanAnyRequestMayHave_isRefusedForGood() {
    BodyReader reader = reader(10 << 20);
    send(400_000, true);
    reader.run();
    assertThat(refusals).containsExactly(413);
    assertThat(later).isEmpty();
  }

  @Test
  void charge_requestThatIsAnswered_isGivenBack() {
    BodyReader reader = reader(1_000);
    send(100, true);
    reader.run();
    assertThat(memory.usedBytes()).isEqualTo(100);
    completions.forEach(HttpStream::succeeded);
    assertThat(completions).hasSize(1);
    assertThat(memory.usedBytes()).isZero();
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

  /** A request whose scheduler only records its tasks. */
  private Request request() {
    return fake(
        Request.class,
        (method, arguments) ->
            switch (method) {
              case "read" -> coming.poll();
              case "getLength" -> -1L;
              case "demand" -> {
                demands++;
                yield null;
              }
              case "addHttpStreamWrapper" -> {
                @SuppressWarnings("unchecked")
                var wrapper = (Function<HttpStream, HttpStream>) arguments[0];
                completions.add(wrapper.apply(fake(HttpStream.class, (name, none) -> null)));
                yield null;
              }
              case "getComponents" -> fake(Components.class, this::answerComponents);
              case "getContext" ->
                  fake(
                      Context.class,
                      (name, task) -> {
                        ((Runnable) task[0]).run();
                        return null;
                      });
              default -> throw new AssertionError(method);
            });
  }

  private @Nullable Object answerComponents(String method, Object[] arguments) {
    assertThat(method).isEqualTo("getScheduler");
    return fake(
        Scheduler.class,
        (name, task) -> {
          later.add((Runnable) task[0]);
          return null;
        });
  }

  private interface Answers {
    @Nullable Object of(String method, Object[] arguments);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                answers.of(method.getName(), arguments == null ? new Object[0] : arguments)));
  }
}
