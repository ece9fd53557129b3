// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import io.retroscope.sink.MemorySink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExceptionFieldsTest {
  private final MemorySink sink = new MemorySink();
  private final Recorder recorder = Recorder.builder().node("a").sink(sink).build();

  @AfterEach
  void close() {
    recorder.close();
  }

  @Test
  void addTo_exceptionWithCause_givesAllFields() {
    Throwable cause = new IllegalArgumentException("bad port");
    Map<String, String> fields = fields(new IllegalStateException("no start", cause));

    assertThat(fields)
        .containsOnlyKeys("exception", "exceptionMessage", "exceptionHash", "exceptionStack");
    assertThat(fields)
        .containsEntry("exception", "java.lang.IllegalStateException")
        .containsEntry("exceptionMessage", "no start");
    assertThat(fields.get("exceptionHash")).matches("[0-9a-f]{16}");
    assertThat(fields.get("exceptionStack"))
        .startsWith("java.lang.IllegalStateException: no start\n\tat ")
        .contains("Caused by: java.lang.IllegalArgumentException: bad port\n\t")
        .containsPattern("\t\\.\\.\\. \\d+ more\n");
  }

  @Test
  void addTo_messageExcluded_isNotInTheStackEither() {
    Throwable cause = new IllegalArgumentException("password=hunter2");
    Map<String, String> fields =
        fields(
            new IllegalStateException("hunter2", cause),
            FieldFilter.DEFAULT.excluding("exceptionMessage"));

    assertThat(fields).containsKey("exceptionStack").doesNotContainKey("exceptionMessage");
    assertThat(fields.toString()).doesNotContain("hunter2").contains("Caused by: ");
  }

  @Test
  void addTo_otherFieldsIncluded_givesNone() {
    assertThat(fields(new IllegalStateException("x"), FieldFilter.DEFAULT.including("order*")))
        .isEmpty();
  }

  @Test
  void hash_samePlaceOtherMessageAndLine_isTheSame() {
    assertThat(hash(thrownFrom("first", 12))).isEqualTo(hash(thrownFrom("second", 99)));
  }

  @Test
  void hash_otherMethodOrClass_differs() {
    RuntimeException other = thrownFrom("x", 1);
    other.setStackTrace(
        new StackTraceElement[] {new StackTraceElement("shop.Cart", "remove", "Cart.java", 1)});

    assertThat(hash(thrownFrom("x", 1)))
        .isNotEqualTo(hash(other))
        .isNotEqualTo(hash(new RuntimeException(thrownFrom("x", 1))));
  }

  @Test
  void hash_generatedNamesAndDepthOfRecursion_doNotCount() {
    StackTraceElement entry = new StackTraceElement("shop.Cart", "add", "Cart.java", 1);
    Throwable one =
        withFrames(
            entry,
            entry,
            new StackTraceElement("jdk.proxy2.$Proxy13", "add", null, -1),
            new StackTraceElement("shop.Cart$$EnhancerBySpringCGLIB$$1a2b", "add", null, -1),
            new StackTraceElement("jdk.internal.reflect.NativeMethodAccessorImpl", "x", null, -2),
            new StackTraceElement("shop.Cart$$Lambda/0x0000000800c03000", "run", null, -1));
    Throwable two =
        withFrames(
            entry,
            new StackTraceElement("jdk.proxy3.$Proxy7", "add", null, -1),
            new StackTraceElement("shop.Cart$$EnhancerBySpringCGLIB$$9f", "add", null, -1),
            new StackTraceElement("jdk.internal.reflect.GeneratedMethodAccessor4", "y", null, -1),
            new StackTraceElement("shop.Cart$$Lambda/0x0000000800d11111", "run", null, -1));

    assertThat(hash(one)).isEqualTo(hash(two));
  }

  /**
   * The value is fixed, because it is compared across runs and with recordings of earlier versions.
   */
  @Test
  void hash_knownTrace_isWhatItAlwaysWas() {
    assertThat(hash(thrownFrom("x", 1))).isEqualTo("67d34a4a42205d83");
  }

  @Test
  void stack_longChainOfLongTraces_endsWithin4KiBAndShowsTheLastCause() {
    Throwable thrown = new IllegalStateException("root \uD83D\uDE00".repeat(10_000));
    for (int i = 0; i < 10; i++) {
      thrown = new RuntimeException("\u20ac".repeat(10_000), thrown);
      thrown.setStackTrace(trace(500, i));
    }

    Map<String, String> fields = fields(thrown);

    assertThat(bytes(fields.get("exceptionStack"))).isLessThanOrEqualTo(4_096);
    assertThat(bytes(fields.get("exceptionMessage"))).isBetween(4_090, 4_096);
    assertThat(fields.get("exceptionMessage")).matches("\u20ac+");
    assertThat(
            fields(thrown, FieldFilter.DEFAULT.excluding("exceptionMessage")).get("exceptionStack"))
        .contains("Caused by: java.lang.IllegalStateException\n");
  }

  @Test
  void of_cyclicCauses_ends() {
    Exception one = new Exception("one");
    Exception two = new Exception("two", one);
    one.initCause(two);

    assertThat(fields(one).get("exceptionStack")).containsOnlyOnce("Exception: one");
  }

  @Test
  void of_endlessCauses_ends() {
    class Endless extends RuntimeException {
      private static final long serialVersionUID = 1;

      @Override
      public synchronized Throwable getCause() {
        return new Endless();
      }
    }

    assertThat(fields(new Endless()).get("exceptionStack").split("Caused by: ", -1))
        .hasSize(ExceptionFields.MAX_CHAIN);
  }

  @Test
  void of_exceptionWhoseMethodsThrow_isStillRecorded() {
    class Hostile extends RuntimeException {
      private static final long serialVersionUID = 1;
      private final transient Supplier<String> message;
      private final transient Supplier<StackTraceElement[]> frames;

      Hostile(Supplier<String> message, Supplier<StackTraceElement[]> frames) {
        this.message = message;
        this.frames = frames;
      }

      @Override
      public String getMessage() {
        return message.get();
      }

      @Override
      public StackTraceElement[] getStackTrace() {
        return frames.get();
      }

      @Override
      public synchronized Throwable getCause() {
        throw new AssertionError("no cause");
      }
    }

    Map<String, String> unreadable =
        fields(
            new Hostile(
                () -> {
                  throw new StackOverflowError();
                },
                () -> new StackTraceElement[] {null}));
    assertThat(unreadable.get("exception")).endsWith("Hostile");
    assertThat(unreadable.get("exceptionMessage"))
        .isEqualTo("<java.lang.StackOverflowError while reading the exception>");
    assertThat(fields(new Hostile(() -> "m", () -> null)).get("exception")).endsWith("Hostile");
    assertThat(
            fields(
                    new Hostile(
                        () -> "m",
                        () -> {
                          throw new IllegalStateException();
                        }))
                .get("exceptionStack"))
        .contains("Hostile: <java.lang.IllegalStateException while");
  }

  private static RuntimeException thrownFrom(String message, int line) {
    RuntimeException thrown = new RuntimeException(message);
    thrown.setStackTrace(
        new StackTraceElement[] {new StackTraceElement("shop.Cart", "add", "Cart.java", line)});
    return thrown;
  }

  private static Throwable withFrames(StackTraceElement... frames) {
    Throwable thrown = new Exception();
    thrown.setStackTrace(frames);
    return thrown;
  }

  private static StackTraceElement[] trace(int depth, int seed) {
    StackTraceElement[] frames = new StackTraceElement[depth];
    for (int i = 0; i < depth; i++) {
      frames[i] = new StackTraceElement("shop.Order" + seed, "step" + i, "Order.java", i);
    }
    return frames;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private String hash(Throwable thrown) {
    return fields(thrown).get("exceptionHash");
  }

  private Map<String, String> fields(Throwable thrown) {
    return fields(thrown, FieldFilter.DEFAULT);
  }

  private Map<String, String> fields(Throwable thrown, FieldFilter filter) {
    LineDraft line = recorder.log("app").line("m");
    ExceptionFields.of(thrown).addTo(line, filter);
    long hlc = line.record();
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    Map<String, String> fields = new HashMap<>();
    sink.events().stream()
        .filter(event -> event.hlc() == hlc)
        .forEach(
            event ->
                ((LogLine) event.body())
                    .fields()
                    .forEach(
                        (name, value) -> fields.put(name, ((Value.StringValue) value).value())));
    return fields;
  }
}
