// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The exception of a log line as fields of that line. Immutable; anything that an exception's own
 * methods throw is caught.
 *
 * <ul>
 *   <li>{@value #CLASS}: the name of its class;
 *   <li>{@value #MESSAGE}: its message;
 *   <li>{@value #HASH}: 16 hexadecimal digits that are equal, in every run, for exceptions thrown
 *       through the same classes and methods; messages, line numbers and generated classes are
 *       ignored;
 *   <li>{@value #STACK}: its stack trace and its causes' as text.
 * </ul>
 *
 * <p>HAZARD: a message can contain a secret. If a filter excludes {@value #MESSAGE}, the text of
 * the stack contains no messages either.
 */
public final class ExceptionFields {
  /** The name of the field with the exception's class. */
  public static final String CLASS = "exception";

  /** The name of the field with the exception's message. */
  public static final String MESSAGE = "exceptionMessage";

  /** The name of the field with the hash of the stack. */
  public static final String HASH = "exceptionHash";

  /** The name of the field with the stack trace. */
  public static final String STACK = "exceptionStack";

  /** The limit to which the message and the stack trace are truncated, in bytes of UTF-8 each. */
  public static final int MAX_TEXT_BYTES = 4_096;

  /** The maximum number of exceptions in one chain: the first and its causes. */
  static final int MAX_CHAIN = 16;

  /** The maximum number of frames used per exception. */
  static final int MAX_FRAMES = 100;

  /** The maximum length of a message repeated in the stack trace, in characters. */
  private static final int MAX_MESSAGE_IN_STACK = 512;

  /** The space for the line that counts the omitted frames. */
  private static final int MORE_LENGTH = 16;

  private static final long FNV_OFFSET_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private static final Reader<Throwable> JAVA =
      new Reader<>() {
        @Override
        public String type(Throwable thrown) {
          return thrown.getClass().getName();
        }

        @Override
        public @Nullable String message(Throwable thrown) {
          return thrown.getMessage();
        }

        @Override
        public StackTraceElement[] frames(Throwable thrown) {
          return thrown.getStackTrace();
        }

        @Override
        public @Nullable Throwable cause(Throwable thrown) {
          return thrown.getCause();
        }
      };

  private final List<Link> chain;

  private ExceptionFields(List<Link> chain) {
    this.chain = chain;
  }

  /**
   * An accessor for a logging framework's representation of an exception. Its methods may throw.
   *
   * @param <T> the framework's type for an exception
   */
  public interface Reader<T> {
    /** The name of the exception's class. */
    String type(T thrown);

    /** The exception's message; null if there is none. */
    @Nullable String message(T thrown);

    /** The exception's stack trace, innermost frame first. */
    StackTraceElement[] frames(T thrown);

    /** The exception's cause; null if there is none. */
    @Nullable T cause(T thrown);
  }

  /** One exception of the chain, read once. */
  private record Link(String type, @Nullable String message, List<StackTraceElement> frames) {}

  /** The fields of an exception and its causes. */
  public static ExceptionFields of(Throwable thrown) {
    return of(thrown, JAVA);
  }

  /** The fields of an exception and its causes, in a framework's representation. */
  public static <T> ExceptionFields of(T thrown, Reader<T> reader) {
    List<Link> chain = new ArrayList<>();
    Set<T> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    T next = thrown;
    while (next != null && chain.size() < MAX_CHAIN && seen.add(next)) {
      chain.add(link(next, reader));
      next = causeOf(next, reader);
    }
    return new ExceptionFields(chain);
  }

  /**
   * Reads one exception. Catches errors as well, because a StackOverflowError in getMessage() must
   * not reach the caller.
   */
  private static <T> Link link(T thrown, Reader<T> reader) {
    String type = "?";
    String message = null;
    List<StackTraceElement> frames = List.of();
    try {
      type = reader.type(thrown);
      frames =
          Arrays.stream(reader.frames(thrown)).filter(Objects::nonNull).limit(MAX_FRAMES).toList();
      message = reader.message(thrown);
    } catch (RuntimeException | Error e) {
      message = "<" + e.getClass().getName() + " while reading the exception>";
    }
    return new Link(type, message == null ? null : cut(message), frames);
  }

  private static <T> @Nullable T causeOf(T thrown, Reader<T> reader) {
    try {
      return reader.cause(thrown);
    } catch (RuntimeException | Error e) {
      return null;
    }
  }

  /** Adds the fields that the filter accepts to a line. */
  public void addTo(LineDraft line, FieldFilter filter) {
    Link first = chain.get(0);
    boolean withMessages = filter.accepts(MESSAGE);
    add(line, filter, CLASS, first.type);
    if (first.message != null) {
      add(line, filter, MESSAGE, first.message);
    }
    add(line, filter, HASH, hash());
    add(line, filter, STACK, stack(withMessages));
  }

  private static void add(LineDraft line, FieldFilter filter, String name, String value) {
    if (filter.accepts(name)) {
      var unused = line.with(name, value);
    }
  }

  /**
   * The FNV-1a hash of the classes and methods; a recursion is included once, regardless of its
   * depth.
   */
  private String hash() {
    long hash = FNV_OFFSET_BASIS;
    for (Link link : chain) {
      hash = hash(hash, stable(link.type));
      String before = "";
      for (StackTraceElement frame : link.frames) {
        String method = stable(frame.getClassName()) + "." + withoutDigits(frame.getMethodName());
        if (!isReflection(frame.getClassName()) && !method.equals(before)) {
          hash = hash(hash, method);
        }
        before = method;
      }
    }
    return HexFormat.of().toHexDigits(hash);
  }

  private static long hash(long hash, String text) {
    long result = hash;
    for (int i = 0; i < text.length(); i++) {
      result = (result ^ text.charAt(i)) * FNV_PRIME;
    }
    return (result ^ '\n') * FNV_PRIME;
  }

  /**
   * Whether the class is part of reflection, where the JVM changes its call path once a method is
   * called often.
   */
  private static boolean isReflection(String type) {
    return type.startsWith("java.lang.invoke.")
        || type.startsWith("java.lang.reflect.")
        || type.startsWith("jdk.internal.reflect.")
        || type.startsWith("sun.reflect.");
  }

  /**
   * A class's name without the parts that are generated in every run, as for proxies and lambdas.
   */
  private static String stable(String type) {
    int generated = type.indexOf("$$");
    int hidden = type.indexOf('/');
    int end = generated < 0 ? type.length() : generated;
    return withoutDigits(type.substring(0, hidden < 0 ? end : Math.min(end, hidden)));
  }

  private static String withoutDigits(String name) {
    StringBuilder rest = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      if (!Character.isDigit(name.charAt(i))) {
        rest.append(name.charAt(i));
      }
    }
    return rest.toString();
  }

  /**
   * A stack trace in Java's format; each exception gets a share of the space, so that the last
   * cause is always included.
   */
  private String stack(boolean withMessages) {
    StringBuilder text = new StringBuilder();
    List<StackTraceElement> enclosing = List.of();
    for (int i = 0; i < chain.size(); i++) {
      Link link = chain.get(i);
      int end = text.length() + (MAX_TEXT_BYTES - text.length()) / (chain.size() - i);
      text.append(i == 0 ? "" : "Caused by: ").append(link.type);
      if (withMessages && link.message != null) {
        int length = Math.min(link.message.length(), MAX_MESSAGE_IN_STACK);
        text.append(": ").append(link.message, 0, length);
      }
      text.append('\n');
      appendFrames(text, end, link.frames, enclosing);
      enclosing = link.frames;
    }
    return cut(text.toString());
  }

  private static void appendFrames(
      StringBuilder text,
      int end,
      List<StackTraceElement> frames,
      List<StackTraceElement> enclosing) {
    int own = frames.size();
    int outer = enclosing.size();
    while (own > 0 && outer > 0 && frames.get(own - 1).equals(enclosing.get(outer - 1))) {
      own--;
      outer--;
    }
    int shown = 0;
    while (shown < own) {
      String frame = "\tat " + frames.get(shown) + "\n";
      if (text.length() + frame.length() > end - MORE_LENGTH) {
        break;
      }
      text.append(frame);
      shown++;
    }
    if (shown < frames.size()) {
      text.append("\t... ").append(frames.size() - shown).append(" more\n");
    }
  }

  /** The longest prefix that fits and does not split a surrogate pair. */
  private static String cut(String text) {
    CharBuffer all = CharBuffer.wrap(text);
    CharsetEncoder encoder =
        StandardCharsets.UTF_8
            .newEncoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    encoder.encode(all, ByteBuffer.allocate(MAX_TEXT_BYTES), false);
    return text.substring(0, all.position());
  }
}
