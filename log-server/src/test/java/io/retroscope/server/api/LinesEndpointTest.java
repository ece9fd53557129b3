// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.lines.Arrivals;
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Metrics;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of answers whose events cannot be read to their end. */
class LinesEndpointTest {
  /** More lines than an answer holds back. */
  private static final int MANY = 2_000;

  private final SentAnswer sent = new SentAnswer();
  private final LiveListeners listeners = new LiveListeners();
  private int openCount;

  @AfterEach
  void close() {
    listeners.close();
  }

  @Test
  void lines_partitionGoesAwayMeanwhile_endWithTheReason() throws Exception {
    get(endpoint(LinesEndpointTest::failing), Map.of());
    assertThat(received())
        .hasSizeBetween(2, MANY + 1)
        .last()
        .asString()
        .contains("\"problem\"", "503", "partition 3 is gone");
  }

  @Test
  void followedLines_noServerHasAPartitionAfterTheHistory_endWithTheReason() throws Exception {
    Map<String, List<String>> all =
        Map.of("follow", List.of("true"), "since", List.of("1970-01-01T00:00:00Z"));
    get(endpoint(this::failingNextTime), all);
    assertThat(received()).last().asString().contains("\"problem\"", "partition 3 is gone");
  }

  @Test
  void lines_nothingIsSentYet_areRefused() {
    EventSource none =
        () -> {
          throw new PartitionException("partition 3 is gone");
        };
    assertThatThrownBy(() -> get(endpoint(view -> none.open()), Map.of()))
        .isInstanceOf(PartitionException.class);
    assertThat(sent.bytes()).isEmpty();
  }

  private void get(LinesEndpoint endpoint, Map<String, List<String>> parameters)
      throws InterruptedException {
    Context request = sent.request(parameters);
    endpoint.get(LinesEndpoint.request(request), request);
  }

  private List<String> received() {
    return new String(sent.bytes(), StandardCharsets.UTF_8).lines().toList();
  }

  private interface Opening {
    EventSource.View open(EventSource.View view);
  }

  private LinesEndpoint endpoint(Opening opening) {
    List<Event> events = new ArrayList<>();
    for (int i = 1; i <= MANY; i++) {
      EventBody line = new EventBody.LogLine("line " + i + " of a node", Map.of());
      events.add(new Event("a", "app", HlcTimestamp.pack(i * 1_000_000L), line));
    }
    InMemoryEventSource stored = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    EventSource source = () -> opening.open(stored.open());
    LineFollower.Parts following =
        new LineFollower.Parts(
            NoArrivals::new,
            source,
            () -> ClockOffsets.UNKNOWN,
            new WatermarkTracker(System::nanoTime, () -> 0L, 1, List.of()),
            () -> MANY * 1_000_000L,
            System::nanoTime);
    return new LinesEndpoint(new LineParts(source, following, Metrics.unread()), listeners, 1);
  }

  private EventSource.View failingNextTime(EventSource.View view) {
    if (openCount++ > 0) {
      throw new PartitionException("partition 3 is gone");
    }
    return view;
  }

  /** A view of which only the first events of a scan can be read. */
  private static EventSource.View failing(EventSource.View view) {
    return (EventSource.View)
        Proxy.newProxyInstance(
            EventSource.View.class.getClassLoader(),
            new Class<?>[] {EventSource.View.class},
            (proxy, method, arguments) -> {
              Object answer = method.invoke(view, arguments);
              return answer instanceof Iterator<?> events ? new Cut(events) : answer;
            });
  }

  /** The events before the end, at which reading fails. */
  private record Cut(Iterator<?> events) implements Iterator<Object> {
    @Override
    public boolean hasNext() {
      if (!events.hasNext()) {
        throw new PartitionException("partition 3 is gone");
      }
      return true;
    }

    @Override
    public Object next() {
      return events.next();
    }
  }

  private static final class NoArrivals implements Arrivals {
    @Override
    public void take(Consumer<Event> sink) {}

    @Override
    public void close() {}
  }
}
