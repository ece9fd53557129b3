// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.server.store.disk.StoreException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Timeout(60)
class StreamingGroupTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String QUERY = "SELECT STREAM x FROM t";
  private static final int IN_ORDER = 1_100;
  private static final String WAITS = "rows wait: no server has partition 3";
  private static final String GOES_ON = "up to date again";
  private static final Set<String> SCANS = Set.of("scan", "scanRuns", "stateBefore");

  @TempDir Path directory;

  @Test
  void add_manyQueries_eachGetsTheRowsFromItsOpeningOn() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      List<Client> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Client client = new Client("");
        clients.add(client);
        Following unused = add(group, store, client);
        store.append(i);
        store.parts.watermarks().advance();
      }
      for (int i = 0; i < 5; i++) {
        int first = i;
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> clients.get(first).rows.size() == 5 - first);
        assertThat(clients.get(i).rows.get(0)).contains("LongValue[value=" + i + "]");
      }
    }
  }

  /** They continue from their places: no row is lost, or sent twice. */
  @Test
  void step_theStoreFailsOnce_eachQueryContinues() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      List<Client> clients = List.of(new Client(""), new Client(""));
      for (Client client : clients) {
        Following unused = add(group, store, client);
      }
      for (int i = 0; i < 20; i++) {
        store.append(i);
        store.failsOnce.set(i == 10);
        store.parts.watermarks().advance();
        int count = i + 1;
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> clients.stream().allMatch(c -> c.rows.size() == count));
      }
      assertThat(clients).allSatisfy(c -> assertThat(c.rows).hasSize(20).doesNotHaveDuplicates());
    }
  }

  @Test
  void step_aSinkFails_onlyItsQueryEnds() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      List<Client> clients = List.of(new Client(""), new Client("value=7]"), new Client(""));
      for (Client client : clients) {
        Following unused = add(group, store, client);
      }
      for (int i = 0; i < 20; i++) {
        store.append(i);
        store.parts.watermarks().advance();
      }
      for (Client client : List.of(clients.get(0), clients.get(2))) {
        Awaitility.await().atMost(PATIENCE).until(() -> client.rows.size() >= 20);
        assertThat(client.rows).hasSize(20).doesNotHaveDuplicates();
        assertThat(client.ends).isEmpty();
      }
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> clients.get(1).ends.equals(List.of("broken")));
      assertThat(clients.get(1).rows).hasSize(7);
    }
  }

  @Test
  void close_ofOneAndOfAll_notifiesTheirSinksOnce() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      Client first = new Client("");
      Client second = new Client("");
      try (StreamingGroup group = new StreamingGroup(store.parts)) {
        Following one = add(group, store, first);
        Following unused = add(group, store, second);
        one.close();
        Awaitility.await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  store.pass(TimeUnit.MILLISECONDS.toMicros(300)); // The thread waits for time.
                  return first.ends.equals(List.of("going down"));
                });
        store.append(1);
        store.parts.watermarks().advance();
        Awaitility.await().atMost(PATIENCE).until(() -> second.rows.size() == 1);
      }
      Awaitility.await().atMost(PATIENCE).until(() -> second.ends.equals(List.of("going down")));
      assertThat(first.ends).hasSize(1);
      assertThat(first.rows).isEmpty();
    }
  }

  /** What it reads is closed at the same time. */
  @Test
  void step_failsWhileTheServerStops_isNoFailure() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger log = (Logger) LoggerFactory.getLogger(StreamingGroup.class);
    log.addAppender(lines);
    CompletableFuture<StreamingGroup> closing = new CompletableFuture<>();
    try (FollowedStore store = new FollowedStore(directory)) {
      AtomicBoolean isStopping = new AtomicBoolean();
      StreamingQuery.Parts all = store.parts;
      EventSource source =
          () -> {
            if (isStopping.get()) {
              closing.join().close();
              throw new IllegalStateException("closed");
            }
            return all.source().open();
          };
      StreamingGroup group =
          new StreamingGroup(
              new StreamingQuery.Parts(
                  all.engine(), source, all.watermarks(), all.late(), all.clock()));
      Client client = new Client("");
      Following unused = add(group, store, client);
      store.append(0);
      all.watermarks().advance();
      Awaitility.await().atMost(PATIENCE).until(() -> client.rows.size() == 1);
      isStopping.set(true);
      closing.complete(group);
      store.append(1);
      all.watermarks().advance();
      Awaitility.await().atMost(PATIENCE).until(() -> client.ends.equals(List.of("going down")));
    }
    log.detachAppender(lines);
    assertThat(lines.list).isEmpty();
  }

  @Test
  void add_aSinkFailsAtItsOpening_thoseThatCameWithItHaveTheirRows() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      List<Client> clients = List.of(new Client(""), new Client(""), new Client(""));
      clients.get(0).failsAtOpening.set(true);
      List<Following> unused = group.add(clients.stream().map(c -> request(store, c)).toList());
      for (int i = 0; i < 5; i++) {
        store.append(i);
        store.parts.watermarks().advance();
      }
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> clients.stream().allMatch(c -> c.rows.size() == 5));
    }
  }

  @Test
  void add_theStoreFailsOnce_theQueryHasItsRows() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      Client client = new Client("");
      PreparedQuery query = store.parts.engine().prepare(QUERY);
      store.failsOnce.set(true);
      List<Following> unused =
          group.add(List.of(new StreamingGroup.Request(query, client, opening(store))));
      store.append(1);
      store.parts.watermarks().advance();
      Awaitility.await().atMost(PATIENCE).until(() -> client.rows.size() == 1);
    }
  }

  /** Otherwise the one that waits for the client would leave no room to the other. */
  @Test
  void add_oneOfAClientsQueriesReadsHistory_bothWaitForTheClient() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      LiveStart first = opening(store);
      store.append(1);
      store.pass(TimeUnit.MINUTES.toMicros(1));
      store.append(2);
      store.parts.watermarks().advance();
      Client recent = new Client("");
      Client history = new Client("");
      List<Following> unused =
          group.add(
              List.of(
                  request(store, recent),
                  new StreamingGroup.Request(store.parts.engine().prepare(QUERY), history, first)));
      store.append(3);
      store.parts.watermarks().advance();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> history.rows.size() == 3 && recent.rows.size() == 1);
      assertThat(history.isPatient).isTrue();
      assertThat(recent.isPatient).isTrue();
    }
  }

  /** All rows that it has missed come at once. */
  @Test
  void add_aQueryThatResumes_waitsForItsClient() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      store.append(0);
      store.parts.watermarks().advance();
      Client client = new Client("");
      long begin = opening(store).begin();
      List<Following> unused =
          group.add(
              List.of(
                  new StreamingGroup.Request(
                      store.parts.engine().prepare(QUERY),
                      client,
                      LiveStart.resuming(new StreamPlace(begin, begin - 1, 0)))));
      store.append(1);
      store.parts.watermarks().advance();
      Awaitility.await().atMost(PATIENCE).until(() -> client.rows.size() == 1);
      assertThat(client.isPatient).isTrue();
    }
  }

  @Test
  void step_failsAfterTheFirstRows_noneIsSentTwice() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      LiveStart first = opening(store);
      store.append(1);
      store.append(2);
      store.parts.watermarks().advance();
      List<Client> clients = List.of(new Client(""), new Client(""));
      clients.get(0).failsWhenReached.set(true);
      List<StreamingGroup.Request> requests =
          clients.stream()
              .map(c -> new StreamingGroup.Request(store.parts.engine().prepare(QUERY), c, first))
              .toList();
      List<Following> unused = group.add(requests);
      Awaitility.await().atMost(PATIENCE).until(() -> clients.stream().allMatch(c -> c.isPatient));
      store.append(3);
      store.parts.watermarks().advance();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> clients.stream().allMatch(c -> c.rows.toString().contains("value=3]")));
      assertThat(clients).allSatisfy(c -> assertThat(c.rows).hasSize(3).doesNotHaveDuplicates());
    }
  }

  /** A late event would make it read all again, while all others would wait. */
  @Test
  void step_aQueryNeedsAllRowsSinceItsStart_isSeparatedWithThoseOfItsClient() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      store.append(0);
      store.parts.watermarks().advance();
      Client limited = new Client("");
      Client sibling = new Client("");
      Client other = new Client("");
      List<Following> unused =
          group.add(
              List.of(
                  new StreamingGroup.Request(
                      store.parts.engine().prepare(QUERY + " LIMIT 1000"), limited, opening(store)),
                  request(store, sibling)));
      Following another = add(group, store, other);
      for (int i = 0; i < 10; i++) {
        store.pass(TimeUnit.SECONDS.toMicros(20));
        store.append(i);
        store.parts.watermarks().advance();
        int count = i + 1;
        for (Client client : List.of(limited, sibling, other)) {
          Awaitility.await()
              .atMost(PATIENCE)
              .pollInterval(Duration.ofMillis(2))
              .until(() -> client.rows.size() == count);
        }
        assertThat(limited.isPatient && i < 5).isFalse();
      }
      Awaitility.await().atMost(PATIENCE).until(() -> limited.isPatient && sibling.isPatient);
      assertThat(other.isPatient).isFalse();
      for (Client client : List.of(limited, sibling, other)) {
        assertThat(client.rows).hasSize(10).doesNotHaveDuplicates();
      }
      another.close();
    }
  }

  /** The watermark follows each event at once while a thread waits for it. */
  @Test
  void add_aQueryThatResumesAfterEventsInOrder_hasLostNone() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      WatermarkTracker watermarks = store.parts.watermarks();
      Thread waiting = new Thread(() -> awaitForever(watermarks));
      waiting.start();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
      store.append(0);
      long first = opening(store).begin() - 2;
      StreamPlace place =
          new StreamPlace(first, watermarks.hlc(), 0, first, 0, store.parts.late().number(), 0);
      for (int i = 1; i <= IN_ORDER; i++) {
        store.append(i);
      }
      assertThat(watermarks.hlc()).isGreaterThan(place.hlc());
      assertThat(store.parts.late().number()).isEqualTo(place.arrivals());

      Client client = new Client("");
      PreparedQuery query = store.parts.engine().prepare(QUERY);
      LiveStart resumed = LiveStart.resuming(place);
      List<Following> unused =
          group.add(List.of(new StreamingGroup.Request(query, client, resumed)));
      Awaitility.await().atMost(PATIENCE).until(() -> client.rows.size() >= IN_ORDER);
      assertThat(client.lost).isEmpty();
      waiting.interrupt();
      waiting.join();
    }
  }

  private static void awaitForever(WatermarkTracker watermarks) {
    try {
      Watermark unused = watermarks.awaitAbove(Long.MAX_VALUE, TimeUnit.MINUTES.toMillis(1));
    } catch (InterruptedException e) {
      // The test has ended.
    }
  }

  /** A sink may have room again for what it could not send. */
  @Test
  void step_theWatermarkStands_sinksAreCalledAllTheSame() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      Client client = new Client("");
      Following unused = add(group, store, client);
      store.append(1);
      store.parts.watermarks().advance();
      Awaitility.await().atMost(PATIENCE).until(() -> client.rows.size() == 1);
      int before = client.reached.get();
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(2))
          .until(
              () -> {
                store.pass(TimeUnit.SECONDS.toMicros(1));
                store.parts.watermarks().advance();
                return client.reached.get() >= before + 3;
              });
    }
  }

  /** As when no server of a cluster has a partition. */
  @Test
  void run_theStoreCannotBeRead_theClientLearnsWhy() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      StreamingQuery.Parts parts = store.parts;
      EventSource unreadable =
          () -> {
            throw new StoreException("no server has partition 3");
          };
      Client client = new Client("");
      Following unused =
          StreamingQuery.start(
              new StreamingQuery.Parts(
                  parts.engine(), unreadable, parts.watermarks(), parts.late(), parts.clock()),
              parts.engine().prepare(QUERY),
              client,
              opening(store));
      Awaitility.await().atMost(PATIENCE).until(() -> client.ends.equals(List.of("broken")));
      assertThat(client.breakage).isEqualTo("no server has partition 3");
    }
  }

  /** As while no server of a cluster can read a partition up to what one of them has reported. */
  @Test
  void step_aPartitionCannotBeRead_waitsAndSaysSo() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      Absent absent = new Absent(store);
      try (StreamingGroup group = new StreamingGroup(absent.parts())) {
        List<Client> clients = List.of(new Client(""), new Client(""));
        for (Client client : clients) {
          Following unused = add(group, store, client);
        }
        for (int i = 1; i <= 3; i++) {
          absent.isAbsent = i > 1;
          absent.append(i);
          int count = i;
          if (absent.isAbsent) {
            absent.await(() -> clients.stream().allMatch(client -> client.isTold(WAITS)));
            assertThat(clients).allSatisfy(client -> assertThat(client.rows).hasSize(count - 1));
            clients.forEach(client -> client.notices.clear());
          }
          absent.isAbsent = false;
          absent.await(() -> clients.stream().allMatch(client -> client.rows.size() >= count));
        }
        absent.append(4);
        absent.await(() -> clients.stream().allMatch(client -> client.rows.size() >= 4));
        assertThat(clients).allSatisfy(client -> client.assertComplete(4));
        assertThat(clients).as("still together").noneMatch(client -> client.isPatient);
      }
    }
  }

  /** Each query continues from its place on a thread of its own, as soon as it can. */
  @Test
  void step_aPartitionIsLostWhileItIsRead_eachQueryWaitsAndContinues() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      Absent absent = new Absent(store);
      try (StreamingGroup group = new StreamingGroup(absent.parts())) {
        List<Client> clients = List.of(new Client(""), new Client(""));
        for (Client client : clients) {
          Following unused = add(group, store, client);
        }
        absent.append(1);
        absent.await(() -> clients.stream().allMatch(client -> client.rows.size() == 1));
        absent.isLost = true;
        absent.append(2);
        absent.await(() -> clients.stream().allMatch(client -> client.isTold(WAITS)));
        absent.isLost = false;
        absent.await(() -> clients.stream().allMatch(client -> client.rows.size() >= 2));
        absent.append(3);
        absent.await(() -> clients.stream().allMatch(client -> client.rows.size() >= 3));
        assertThat(clients).allSatisfy(client -> client.assertComplete(3));
      }
    }
  }

  /** As that of a client that resumes at another server while a partition moves. */
  @Test
  void open_aPartitionCannotBeRead_waitsAndSaysSo() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      Absent absent = new Absent(store);
      absent.isAbsent = true;
      Client client = new Client("");
      Following query =
          StreamingQuery.start(
              absent.parts(), store.parts.engine().prepare(QUERY), client, opening(store));
      absent.append(1);
      absent.await(() -> client.isTold(WAITS));
      absent.isAbsent = false;
      absent.await(() -> client.rows.size() >= 1 && client.isTold(GOES_ON));
      client.assertComplete(1);
      absent.isAbsent = true;
      query.close();
      absent.await(() -> client.ends.equals(List.of("going down")));
    }
  }

  /** A partition that cannot be read at times: not at all, or only until a scan begins. */
  private static final class Absent {
    private final FollowedStore store;
    private volatile boolean isAbsent;
    private volatile boolean isLost;

    Absent(FollowedStore store) {
      this.store = store;
    }

    StreamingQuery.Parts parts() {
      StreamingQuery.Parts all = store.parts;
      return new StreamingQuery.Parts(
          all.engine(), this::open, all.watermarks(), all.late(), all.clock());
    }

    private EventSource.View open() {
      if (isAbsent) {
        throw new PartitionException("no server has partition 3");
      }
      EventSource.View view = store.parts.source().open();
      return (EventSource.View)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {EventSource.View.class},
              (proxy, method, arguments) -> {
                if (isLost && SCANS.contains(method.getName())) {
                  throw new PartitionException("no server has partition 3");
                }
                return method.invoke(view, arguments);
              });
    }

    void append(int number) {
      store.append(number);
      store.parts.watermarks().advance();
    }

    /** Lets time pass until something is so. */
    void await(Callable<Boolean> condition) {
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                store.pass(TimeUnit.MILLISECONDS.toMicros(300));
                store.parts.watermarks().advance();
                return condition.call();
              });
    }
  }

  private static Following add(StreamingGroup group, FollowedStore store, Client client) {
    return group.add(List.of(request(store, client))).get(0);
  }

  private static StreamingGroup.Request request(FollowedStore store, Client client) {
    return new StreamingGroup.Request(store.parts.engine().prepare(QUERY), client, opening(store));
  }

  private static LiveStart opening(FollowedStore store) {
    return new LiveStart(store.parts.watermarks().openingHlc(), Optional.empty());
  }

  /** A client whose sink fails at a row with a certain text. */
  private static final class Client implements LiveSink {
    private final String failsAt;
    private final List<String> rows = new CopyOnWriteArrayList<>();
    private final List<String> lost = new CopyOnWriteArrayList<>();
    private final List<String> ends = new CopyOnWriteArrayList<>();
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final AtomicBoolean failsAtOpening = new AtomicBoolean();
    private final AtomicBoolean failsWhenReached = new AtomicBoolean();
    private final AtomicInteger reached = new AtomicInteger();
    private volatile boolean isPatient;
    private volatile String breakage = "";

    Client(String failsAt) {
      this.failsAt = failsAt;
    }

    boolean isTold(String text) {
      return notices.stream().anyMatch(notice -> notice.contains(text));
    }

    void assertComplete(int count) {
      assertThat(rows).hasSize(count).doesNotHaveDuplicates();
      assertThat(lost).isEmpty();
      assertThat(ends).isEmpty();
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public void setPatient(boolean patient) {
      isPatient = patient;
      failIf(failsAtOpening);
    }

    @Override
    public void reached(long hlc) {
      reached.incrementAndGet();
      failIf(failsWhenReached);
    }

    private static void failIf(AtomicBoolean fails) {
      if (fails.getAndSet(false)) {
        throw new IllegalStateException("once, on purpose");
      }
    }

    @Override
    public boolean row(Row row) {
      if (!failsAt.isEmpty() && row.toString().contains(failsAt)) {
        throw new IllegalStateException("on purpose");
      }
      rows.add(row.toString());
      return true;
    }

    @Override
    public void lost(long from, long until, String message) {
      lost.add(message);
    }

    @Override
    public void warning(String message) {}

    @Override
    public void notice(String sentence, List<Incompleteness> reasons) {
      notices.add(sentence);
      assertThat(reasons).extracting(Incompleteness::kind).isSubsetOf("after", "silent");
    }

    @Override
    public void held(long micros) {}

    @Override
    public void end() {
      ends.add("end");
    }

    @Override
    public void failed(RqlException reason) {
      ends.add("failed");
    }

    @Override
    public void broken(String reason) {
      breakage = reason;
      ends.add("broken");
    }

    @Override
    public void goingDown() {
      ends.add("going down");
    }
  }
}
