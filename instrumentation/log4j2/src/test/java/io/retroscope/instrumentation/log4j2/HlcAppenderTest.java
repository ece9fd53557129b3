// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.log4j2;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.message.StringMapMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class HlcAppenderTest {
  private static final String CONFIGURATION =
      """
      <Configuration status="error">
        %s
        <Appenders>
          <File name="FILE" fileName="%s" immediateFlush="true">
            <PatternLayout pattern="%%X{hlc} %%m%%n"/>
          </File>
          <Retroscope name="RETROSCOPE" log="web" %s><AppenderRef ref="FILE"/></Retroscope>
        </Appenders>
        <Loggers><Root level="info"><AppenderRef ref="RETROSCOPE"/></Root></Loggers>
      </Configuration>
      """;

  @TempDir Path folder;

  private final MemorySink sink = new MemorySink();
  private final Recorder recorder = Recorder.builder().node("web1").sink(sink).build().share();

  @AfterEach
  void stop() {
    ThreadContext.clearMap();
    recorder.close();
  }

  @Test
  void log_keyValuePairsOfSlf4j_getTheirTypesBack() throws IOException {
    configure("");

    LoggerFactory.getLogger("shop.Checkout")
        .atWarn()
        .addKeyValue("ms", 1200)
        .addKeyValue("ratio", 0.5)
        .addKeyValue("retry", true)
        .addKeyValue("peer", "db1")
        .addKeyValue("userPassword", "hunter2")
        .log("timeout");

    Event event = line();
    assertThat(event.log()).isEqualTo("web");
    assertThat(event.body())
        .isEqualTo(
            new LogLine(
                "timeout",
                Map.of(
                    "level", Value.of("WARN"),
                    "logger", Value.of("shop.Checkout"),
                    "ms", Value.of(1200),
                    "ratio", Value.of(0.5),
                    "retry", Value.of(true),
                    "peer", Value.of("db1"))));
  }

  @Test
  void log_withoutGuessing_pairsStayText() throws IOException {
    configure("guessTypes=\"false\" include=\"ms\"");

    LoggerFactory.getLogger("x").atInfo().addKeyValue("ms", 1200).addKeyValue("n", 1).log("m");

    assertThat(((LogLine) line().body()).fields())
        .containsOnlyKeys("level", "logger", "ms")
        .containsEntry("ms", Value.of("1200"));
  }

  @Test
  void log_mapMessage_isRecorded() throws IOException {
    configure("exclude=\"user\"");

    LogManager.getLogger("x").info(new StringMapMessage().with("a", "1").with("user", "kim"));

    assertThat(((LogLine) line().body()).fields())
        .containsEntry("a", Value.of("1"))
        .doesNotContainKey("user");
  }

  @Test
  void log_appenderReferredTo_seesTheLinesStamp() throws IOException {
    configure("");

    LogManager.getLogger("x").info("hello");

    assertThat(Files.readString(folder.resolve("out.log")))
        .isEqualTo(HlcTimestamp.text(line().hlc()) + " hello\n");
  }

  @Test
  void log_mdc_isRecordedWhereNamedAndNoSecret() throws IOException {
    configure("mdc=\"http.*, user*\"");
    ThreadContext.put("http.status", "504");
    ThreadContext.put("user.token", "hunter2");
    ThreadContext.put("customer", "kim");

    LogManager.getLogger("x").info("hello");

    assertThat(((LogLine) line().body()).fields())
        .containsOnlyKeys("level", "logger", "http.status")
        .containsEntry("http.status", Value.of(504));
  }

  @Test
  void log_mdcBesidePairsOfSlf4j_onlyThePairsAreRecorded() throws IOException {
    configure("");
    ThreadContext.put("customer", "kim");
    ThreadContext.put("ms", "1");

    LoggerFactory.getLogger("x").atInfo().addKeyValue("ms", 1200).log("hello");

    assertThat(((LogLine) line().body()).fields())
        .containsOnlyKeys("level", "logger", "ms")
        .containsEntry("ms", Value.of(1200));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void log_configurationWhoseFilterAccepts_stillTellsPairsFromTheMdc(boolean atInfo)
      throws IOException {
    configure("", "<MarkerFilter marker=\"NONE\" onMatch=\"DENY\" onMismatch=\"ACCEPT\"/>");
    ThreadContext.put("filtered" + atInfo, "kim");

    Logger logger = LoggerFactory.getLogger("x");
    (atInfo ? logger.atInfo() : logger.atLevel(Level.INFO)).addKeyValue("ms", 12).log("hello");

    assertThat(((LogLine) line().body()).fields()).containsOnlyKeys("level", "logger", "ms");
  }

  @Test
  void log_exception_isRecorded() throws IOException {
    configure("exclude=\"exceptionMessage\"");

    LogManager.getLogger("x").error("failed", new IllegalStateException("hunter2"));

    assertThat(((LogLine) line().body()).fields())
        .containsKeys("exceptionHash", "exceptionStack")
        .containsEntry("exception", Value.of("java.lang.IllegalStateException"))
        .doesNotContainKey("exceptionMessage");
    assertThat(line().body().toString()).doesNotContain("hunter2");
  }

  @Test
  void log_messageThatThrows_doesNotKeepTheAppendersInsideFromIt() throws IOException {
    configure("");
    Message bad =
        new SimpleMessage("kept") {
          private static final long serialVersionUID = 1;

          @Override
          public String getFormattedMessage() {
            String own = HlcAppender.class.getName();
            if (StackWalker.getInstance()
                .walk(
                    calls -> calls.skip(1).findFirst().orElseThrow().getClassName().equals(own))) {
              throw new IllegalStateException("on purpose");
            }
            return super.getFormattedMessage();
          }
        };

    LogManager.getLogger("x").info(bad);

    assertThat(Files.readString(folder.resolve("out.log"))).contains("kept");
    assertThat(recorder.statistics().missed()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", "01", "+1", "1e3", "1.50", "NaN", "TRUE", "99999999999999999999", "1."})
  void guess_textThatJavaDoesNotPrintSo_staysText(String text) {
    assertThat(TextTypes.guess(text)).isEqualTo(text);
  }

  private void configure(String settings) throws IOException {
    configure(settings, "");
  }

  private void configure(String settings, String filter) throws IOException {
    String text = CONFIGURATION.formatted(filter, folder.resolve("out.log"), settings);
    LoggerContext context = (LoggerContext) LogManager.getContext(false);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    context.reconfigure(
        new XmlConfiguration(context, new ConfigurationSource(new ByteArrayInputStream(bytes))));
  }

  private Event line() {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    List<Event> lines =
        sink.events().stream().filter(event -> event.body() instanceof LogLine).toList();
    assertThat(lines).hasSize(1);
    return lines.get(0);
  }
}
