// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.health.Health;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the threads that open streams. */
@Timeout(60)
class OpeningThreadsTest {
  private static final String SOUNDING =
      "SELECT STREAM x FROM t PLAY pad AS BACKGROUND FOLLOW MAX(x) RANGE 0 TO 8";

  /** The views that a thread opens before the one of the query of the state at the start. */
  private static final int VIEWS_BEFORE = 2;

  private static final int SLOW = 4;

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicLong extraNanos = new AtomicLong();
  private final Map<Thread, AtomicInteger> views = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final CountDownLatch goesOn = new CountDownLatch(1);

  /** The state at the start of a stream with PLAY is queried, which may take long. */
  @Test
  void streams_thatBeginWithALongQuery_delayNoOthers_andTheirTimeIsLimited() throws Exception {
    try (EventStore store = EventStore.open(folder, StoreOptions.DEFAULT, PhysicalClock.system());
        HttpApi api = api(store)) {
      api.listen("127.0.0.1", 0);
      List<CompletableFuture<HttpResponse<InputStream>>> slow = new ArrayList<>();
      for (int i = 0; i < SLOW; i++) {
        slow.add(open(api, SOUNDING));
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> waiting.get() == SLOW);

      assertOpens(api, "SELECT STREAM x FROM t");
      extraNanos.addAndGet(ApiLimits.DEFAULT.queryTime().toNanos());
      goesOn.countDown();
      for (CompletableFuture<HttpResponse<InputStream>> one : slow) {
        assertThat(one.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
      }
      assertOpens(api, SOUNDING);
    } finally {
      goesOn.countDown();
    }
  }

  private void assertOpens(HttpApi api, String statement) throws Exception {
    HttpResponse<InputStream> answer = open(api, statement).get(60, TimeUnit.SECONDS);
    answer.body().close();
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  private CompletableFuture<HttpResponse<InputStream>> open(HttpApi api, String statement) {
    String query = URLEncoder.encode(statement, StandardCharsets.UTF_8);
    URI uri = URI.create("http://127.0.0.1:" + api.port() + "/v1/stream?query=" + query);
    return client.sendAsync(
        HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream());
  }

  /** An API whose first queries of a state wait. */
  private HttpApi api(EventStore store) {
    EventSource source =
        () -> {
          int before =
              views
                  .computeIfAbsent(Thread.currentThread(), thread -> new AtomicInteger())
                  .getAndIncrement();
          if (before == VIEWS_BEFORE && waiting.get() < SLOW) {
            waiting.incrementAndGet();
            goOn();
          }
          return store.open(ClockOffsets.UNKNOWN);
        };
    MonotonicClock clock = () -> System.nanoTime() + extraNanos.get();
    WatermarkTracker watermarks =
        new WatermarkTracker(clock, PhysicalClock.system(), 1_000_000_000L, store.incarnations());
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    StreamingQuery.Parts following =
        new StreamingQuery.Parts(engine, source, watermarks, new LateLog(watermarks, 0), clock);
    HttpApi.Parts parts =
        new HttpApi.Parts(
            store,
            source,
            engine,
            watermarks,
            new Health(),
            PhysicalClock.system(),
            clock,
            new Metrics(clock::nanos),
            new AlertService(AlertOptions.NONE, following, store, PhysicalClock.system(), () -> ""),
            Duration.ofSeconds(10));
    return new HttpApi(
        parts,
        NdjsonReader.Limits.BATCH,
        ApiLimits.DEFAULT,
        AccessOptions.DEFAULT,
        new AccessControl(AccessOptions.DEFAULT, "127.0.0.1", clock::nanos));
  }

  private void goOn() {
    try {
      if (!goesOn.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the test has not gone on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
