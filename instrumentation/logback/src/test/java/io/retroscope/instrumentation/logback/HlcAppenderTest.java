// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.logback;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.MDC;

class HlcAppenderTest {
  private static final String CONFIGURATION =
      """
      <configuration>
        <appender name="SEEN" class="io.retroscope.instrumentation.logback.HlcAppenderTest$Seen"/>
        <appender name="RETROSCOPE" class="io.retroscope.instrumentation.logback.HlcAppender">
          <log>web</log>
          %s
          <appender-ref ref="SEEN"/>
        </appender>
        <root level="INFO"><appender-ref ref="RETROSCOPE"/></root>
      </configuration>
      """;

  private final MemorySink sink = new MemorySink();
  private final Recorder recorder = Recorder.builder().node("web1").sink(sink).build().share();
  private final LoggerContext context = new LoggerContext();
  private final Logger logger = context.getLogger("shop.Checkout");

  /** An appender inside, which keeps the MDC of its events. */
  public static final class Seen extends AppenderBase<ILoggingEvent> {
    static final List<String> STAMPS = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      STAMPS.add(event.getMDCPropertyMap().getOrDefault("hlc", "none"));
    }
  }

  @BeforeEach
  void clear() {
    Seen.STAMPS.clear();
  }

  @AfterEach
  void stop() {
    context.stop();
    recorder.close();
  }

  @Test
  void log_keyValuePairs_keepTheirTypes() throws Exception {
    configure("");

    logger
        .atWarn()
        .setMessage("timeout after {}")
        .addArgument("3 tries")
        .addKeyValue("ms", 1200)
        .addKeyValue("ratio", 0.5)
        .addKeyValue("retry", true)
        .addKeyValue("peer", "db1")
        .addKeyValue("none", (Object) null)
        .log();

    Event event = line();
    assertThat(event.log()).isEqualTo("web");
    assertThat(event.body())
        .isEqualTo(
            new LogLine(
                "timeout after 3 tries",
                Map.of(
                    "level", Value.of("WARN"),
                    "logger", Value.of("shop.Checkout"),
                    "ms", Value.of(1200),
                    "ratio", Value.of(0.5),
                    "retry", Value.of(true),
                    "peer", Value.of("db1"),
                    "none", Value.NullValue.NULL)));
  }

  @Test
  void log_pairsThatMayBeSecret_areLeftOut() throws Exception {
    configure("");

    logger.atInfo().addKeyValue("userPassword", "hunter2").addKeyValue("user", "kim").log("login");

    assertThat(((LogLine) line().body()).fields())
        .containsKey("user")
        .doesNotContainKey("userPassword");
  }

  @Test
  void log_includeAndExclude_areHeeded() throws Exception {
    configure("<include>order*</include><exclude>*Secret</exclude>");

    logger
        .atInfo()
        .addKeyValue("orderId", 7)
        .addKeyValue("orderSecret", 8)
        .addKeyValue("user", "kim")
        .log("ordered");

    assertThat(((LogLine) line().body()).fields()).containsOnlyKeys("level", "logger", "orderId");
  }

  @Test
  void log_mdc_isRecordedWhereAskedForAndNoSecret() throws Exception {
    configure("<mdc>http.*, user*</mdc>");
    MDC.put("http.status", "504");
    MDC.put("user.token", "hunter2");
    MDC.put("other", "x");
    try {
      logger.atInfo().addKeyValue("user", "pair").log("hello");
    } finally {
      MDC.clear();
    }

    assertThat(((LogLine) line().body()).fields())
        .containsOnlyKeys("level", "logger", "http.status", "user")
        .containsEntry("http.status", Value.of("504"))
        .containsEntry("user", Value.of("pair"));
  }

  @Test
  void log_appenderInside_seesTheLinesStampInTheMdc() throws Exception {
    configure("");

    logger.info("hello");

    assertThat(Seen.STAMPS).containsExactly(HlcTimestamp.text(line().hlc()));
    assertThat(MDC.get("hlc")).isNull();
  }

  @Test
  void log_valueWhoseTextThrows_doesNotReachTheCaller() throws Exception {
    configure("");

    logger
        .atInfo()
        .addKeyValue(
            "bad",
            new Object() {
              @Override
              public String toString() {
                throw new IllegalStateException("no text");
              }
            })
        .log("still here");

    assertThat(((LogLine) line().body()).message()).isEqualTo("still here");
  }

  @Test
  void log_exception_isRecordedWithItsCauses() throws Exception {
    configure("");

    IllegalStateException cause = new IllegalStateException("no route");
    logger.error("failed", new IllegalArgumentException("bad order", cause));

    assertThat(((LogLine) line().body()).fields())
        .containsOnlyKeys(
            "level", "logger", "exception", "exceptionMessage", "exceptionHash", "exceptionStack")
        .containsEntry("exception", Value.of("java.lang.IllegalArgumentException"))
        .containsEntry("exceptionMessage", Value.of("bad order"));
    assertThat(((LogLine) line().body()).fields().get("exceptionStack").toString())
        .contains("HlcAppenderTest", "Caused by: java.lang.IllegalStateException: no route");
  }

  @Test
  void log_exceptionWithMessageExcluded_leaksItNowhere() throws Exception {
    configure("<exclude>exceptionMessage</exclude>");

    logger.error("failed", new IllegalArgumentException("hunter2"));

    assertThat(((LogLine) line().body()).fields()).containsKey("exceptionStack");
    assertThat(line().body().toString()).doesNotContain("hunter2");
  }

  @Test
  void log_cyclicCauses_reachTheAppenderInside() throws Exception {
    configure("");
    Exception one = new Exception("one");
    one.initCause(new Exception("two", one));

    logger.error("failed", one);

    assertThat(Seen.STAMPS).containsExactly(HlcTimestamp.text(line().hlc()));
  }

  private void configure(String settings) throws Exception {
    JoranConfigurator configurator = new JoranConfigurator();
    context.setMDCAdapter(MDC.getMDCAdapter());
    configurator.setContext(context);
    String text = CONFIGURATION.formatted(settings);
    configurator.doConfigure(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  private Event line() {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    List<Event> lines =
        sink.events().stream().filter(event -> event.body() instanceof LogLine).toList();
    assertThat(lines).hasSize(1);
    return lines.get(0);
  }
}
