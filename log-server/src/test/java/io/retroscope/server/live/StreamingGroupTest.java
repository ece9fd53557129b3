// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.diagnostic.RqlException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StreamingGroupTest {
  private static final String QUERY = "SELECT STREAM x FROM t";

  @TempDir Path directory;

  @Test
  void add_manyQueries_eachGetsTheRowsFromItsOpeningOn() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        StreamingGroup group = new StreamingGroup(store.parts)) {
      List<Client> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Client client = new Client("");
        clients.add(client);
        Following unused = group.add(store.parts.engine().prepare(QUERY), client, opening(store));
        store.append(i);
        store.parts.watermarks().advance();
      }
      for (int i = 0; i < 5; i++) {
        int first = i;
        Awaitility.await().until(() -> clients.get(first).rows.size() == 5 - first);
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
        Following unused = group.add(store.parts.engine().prepare(QUERY), client, opening(store));
      }
      for (int i = 0; i < 20; i++) {
        store.append(i);
        store.failsOnce.set(i == 10);
        store.parts.watermarks().advance();
        int count = i + 1;
        Awaitility.await().until(() -> clients.stream().allMatch(c -> c.rows.size() == count));
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
        Following unused = group.add(store.parts.engine().prepare(QUERY), client, opening(store));
      }
      for (int i = 0; i < 20; i++) {
        store.append(i);
        store.parts.watermarks().advance();
      }
      for (Client client : List.of(clients.get(0), clients.get(2))) {
        Awaitility.await().until(() -> client.rows.size() >= 20);
        assertThat(client.rows).hasSize(20).doesNotHaveDuplicates();
        assertThat(client.ends).isEmpty();
      }
      Awaitility.await().until(() -> clients.get(1).ends.equals(List.of("broken")));
      assertThat(clients.get(1).rows).hasSize(7);
    }
  }

  @Test
  void close_ofOneAndOfAll_notifiesTheirSinksOnce() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      Client first = new Client("");
      Client second = new Client("");
      try (StreamingGroup group = new StreamingGroup(store.parts)) {
        Following one = group.add(store.parts.engine().prepare(QUERY), first, opening(store));
        Following unused = group.add(store.parts.engine().prepare(QUERY), second, opening(store));
        one.close();
        Awaitility.await().until(() -> first.ends.equals(List.of("going down")));
        store.append(1);
        store.parts.watermarks().advance();
        Awaitility.await().until(() -> second.rows.size() == 1);
      }
      Awaitility.await().until(() -> second.ends.equals(List.of("going down")));
      assertThat(first.ends).hasSize(1);
      assertThat(first.rows).isEmpty();
    }
  }

  private static StreamingQuery.Opening opening(FollowedStore store) {
    return new StreamingQuery.Opening(store.parts.watermarks().openingHlc(), Optional.empty());
  }

  /** A client whose sink fails at a row with a certain text. */
  private static final class Client implements LiveSink {
    private final String failsAt;
    private final List<String> rows = new CopyOnWriteArrayList<>();
    private final List<String> ends = new CopyOnWriteArrayList<>();

    Client(String failsAt) {
      this.failsAt = failsAt;
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      if (!failsAt.isEmpty() && row.toString().contains(failsAt)) {
        throw new IllegalStateException("on purpose");
      }
      rows.add(row.toString());
      return true;
    }

    @Override
    public void warning(String message) {}

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
      ends.add("broken");
    }

    @Override
    public void goingDown() {
      ends.add("going down");
    }
  }
}
