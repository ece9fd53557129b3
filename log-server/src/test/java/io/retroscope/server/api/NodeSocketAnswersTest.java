// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of batches of one connection that are stored at the same time. */
@Timeout(60)
class NodeSocketAnswersTest {
  @TempDir static Path directory;

  private static EventStore store;

  /** The answers of the store, which the tests give. */
  private final List<CompletableFuture<Receipt>> stored = new ArrayList<>();

  private final MemoryBudget memory = new MemoryBudget(64 << 20);
  private final List<String> texts = new ArrayList<>();
  private LiveListeners listeners;
  private NodeSocket socket;
  private boolean isFull;
  private boolean overflows;
  private long sent;

  @BeforeAll
  static void open() {
    store = EventStore.open(directory, StoreOptions.DEFAULT, () -> 1_795_200_000_000_000L);
  }

  @AfterAll
  static void end() {
    store.close();
  }

  @BeforeEach
  void connect() {
    listeners = new LiveListeners();
    EventsEndpoint events =
        new EventsEndpoint(
            new Intake(), new BatchReader(NdjsonReader.Limits.BATCH), 1, Metrics.unread());
    SenderParts parts = new SenderParts(store, store.memory(), () -> 0, Metrics.unread());
    EventSocketEndpoint endpoint = new EventSocketEndpoint(events, parts, listeners, this::work, 1);
    AccessControl access = new AccessControl(AccessOptions.DEFAULT, "127.0.0.1", () -> 0);
    Route route = new Route.Get("/v1/events/socket", Access.WRITE, context -> {});
    socket =
        new NodeSocket(
            new Admission(access, Optional.empty(), route, access.caller(Optional.empty())),
            endpoint,
            memory,
            () -> 0,
            100 << 20);
    socket.onWebSocketOpen(session());
    texts.clear();
  }

  @AfterEach
  void close() {
    listeners.close();
  }

  private void work(Runnable task) {
    if (isFull) {
      throw new RejectedExecutionException("no room, on purpose");
    }
    task.run();
  }

  private final class Intake implements EventIntake {
    @Override
    public CompletableFuture<Receipt> append(Submission submission, Charge charge) {
      if (overflows) {
        throw new StackOverflowError("on purpose");
      }
      stored.add(new CompletableFuture<>());
      return stored.get(stored.size() - 1);
    }

    @Override
    public SuspectInputs suspects() {
      return store.suspects();
    }
  }

  private Session session() {
    return (Session)
        Proxy.newProxyInstance(
            Session.class.getClassLoader(),
            new Class<?>[] {Session.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("sendText")) {
                texts.add((String) arguments[0]);
              }
              return method.getReturnType() == boolean.class ? true : null;
            });
  }

  /** Sends a batch with one event of about this size. */
  private void send(int bytes) {
    byte[] noise = new byte[bytes / 2];
    new Random(++sent).nextBytes(noise);
    String text = HexFormat.of().formatHex(noise);
    long hlc = HlcTimestamp.pack(1_795_200_000_000_000L + sent);
    byte[] block =
        EventBlockCodec.encode(
            new EventBlockBuilder()
                .incarnation("5f2c", sent)
                .add(
                    new Event(
                        "zk1",
                        "t",
                        hlc,
                        new StateChange(List.of(new Change(Operation.SET, "x", Value.of(text))))))
                .promise(hlc, sent)
                .build());
    socket.onWebSocketPartialBinary(ByteBuffer.wrap(block), true, Callback.NOOP);
  }

  private static Receipt accepted() {
    return new Receipt(1, 0, 0);
  }

  @Test
  void batches_theFirstIsNotStoredYet_areStoredTogetherAndAnsweredInOrder() {
    send(10);
    send(10);
    send(10);
    assertThat(stored).hasSize(3);

    assertThat(stored.get(1).complete(accepted())).isTrue();
    assertThat(texts).as("before the first").isEmpty();
    assertThat(stored.get(0).completeExceptionally(new StoreException("full"))).isTrue();
    assertThat(texts).hasSize(2);
    assertThat(texts.get(0)).startsWith("{\"batch\":1,").contains("\"status\":507");
    assertThat(texts.get(1)).isEqualTo("{\"batch\":2,\"accepted\":1}");
    assertThat(stored.get(2).complete(accepted())).isTrue();
    assertThat(texts.get(2)).isEqualTo("{\"batch\":3,\"accepted\":1}");
    assertThat(memory.usedBytes()).as("no charge is left").isZero();
  }

  @Test
  void batches_withoutRoomAtTheThreads_areRefusedInOrderAndAnswersAreSent() {
    send(10);
    isFull = true;
    send(10);
    assertThat(stored).hasSize(1);
    assertThat(texts).as("before the first").isEmpty();
    assertThat(stored.get(0).complete(accepted())).isTrue();
    assertThat(texts).hasSize(2);
    assertThat(texts.get(0)).isEqualTo("{\"batch\":1,\"accepted\":1}");
    assertThat(texts.get(1)).startsWith("{\"batch\":2,").contains("\"status\":503");
    assertThat(memory.usedBytes()).as("no charge is left").isZero();
    isFull = false;
    send(10);
    assertThat(stored).hasSize(2);
  }

  @Test
  void batch_whoseThreadOverflows_isRefusedAndTheNextIsStored() {
    overflows = true;
    send(10);
    overflows = false;
    send(10);
    assertThat(stored.get(0).complete(accepted())).isTrue();
    assertThat(texts).hasSize(2);
    assertThat(texts.get(0)).startsWith("{\"batch\":1,").contains("\"status\":500");
    assertThat(texts.get(1)).isEqualTo("{\"batch\":2,\"accepted\":1}");
    assertThat(memory.usedBytes()).as("no charge is left").isZero();
  }

  @Test
  void batches_moreThanMayBeUnanswered_wait() {
    for (int i = 0; i < NodeSocket.MAX_UNANSWERED + 2; i++) {
      send(10);
    }
    assertThat(stored).hasSize(NodeSocket.MAX_UNANSWERED);
    assertThat(stored.get(1).complete(accepted())).isTrue();
    assertThat(stored).as("the answer waits, too").hasSize(NodeSocket.MAX_UNANSWERED);
    assertThat(stored.get(0).complete(accepted())).isTrue();
    assertThat(stored).hasSize(NodeSocket.MAX_UNANSWERED + 2);
  }

  @Test
  void batches_largerTogetherThanMayBeUnanswered_wait() {
    int half = (int) (NodeSocket.MAX_UNANSWERED_BYTES / 2);
    send(half + half / 2);
    send(half);
    send(3 * half);
    assertThat(stored).hasSize(1);
    assertThat(stored.get(0).complete(accepted())).isTrue();
    assertThat(stored).as("not together with the next").hasSize(2);
    assertThat(stored.get(1).complete(accepted())).isTrue();
    assertThat(stored).as("alone it may be larger").hasSize(3);
  }
}
