package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.http.Context;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AnswerTest {
  private static final List<String> CHARACTERS =
      List.of("a", "\u007f", "\u0080", "\u00e4", "\u20ac", "\ud83d\ude00", "\ud83d", "\n");

  @Test
  void write_textsOfAnyLength_areSentAsUtf8() {
    for (long seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      Sent sent = new Sent();
      Answer answer = new Answer(context(sent), "text/csv");
      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < 60; i++) {
        boolean isLong = random.nextInt(20) == 0;
        int length = random.nextInt(isLong ? 80_000 : 9_000);
        String rest = random.nextBoolean() ? "" : CHARACTERS.get(random.nextInt(8));
        String text = "a".repeat(length) + rest + "b";
        expected.append(text);
        char[] characters = (text + "?").toCharArray();
        assertThat(random.nextBoolean() ? answer.write(text) : write(answer, characters)).isTrue();
      }
      answer.end();
      assertThat(sent.bytes.toByteArray())
          .as("seed %d", seed)
          .isEqualTo(expected.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Writes all but the last character. */
  private static boolean write(Answer answer, char[] characters) {
    return answer.write(characters, characters.length - 1);
  }

  /** A request of an admitted client. */
  private static Context context(Sent sent) {
    AccessControl access = new AccessControl(AccessOptions.DEFAULT, "127.0.0.1", () -> 0);
    Route route = new Route.Get("/v1/query", Access.READ, context -> {});
    Admission admission =
        new Admission(access, Optional.empty(), route, access.caller(Optional.empty()));
    return proxy(
        Context.class,
        Map.of(
            "req", proxy(HttpServletRequest.class, Map.of("getAttribute", admission)),
            "res", proxy(HttpServletResponse.class, Map.of("getOutputStream", sent))));
  }

  private static <T> T proxy(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName())));
  }

  private static final class Sent extends ServletOutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void write(int value) {
      bytes.write(value);
    }

    @Override
    public void write(byte[] from, int at, int count) {
      bytes.write(from, at, count);
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setWriteListener(WriteListener listener) {}
  }
}
