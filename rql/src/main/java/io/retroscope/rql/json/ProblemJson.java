// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/**
 * Problem documents as in RFC 9457, with every diagnostic of a rejected statement:
 *
 * <pre>
 * {"type":"about:blank","title":"The statement was refused","status":400,"detail":"RQL0203: ...",
 *  "diagnostics":[{"code":"RQL0203","message":"...","start":11,"end":17,"help":"..."}],
 *  "text":"error[RQL0203]: ...\nLINE 1: ...\n        ^^^^^^\nhelp: ...\n"}
 * </pre>
 *
 * <p>{@code start} and {@code end} count UTF-16 units from the start of the statement's text;
 * {@code text} is the shell's output.
 */
public final class ProblemJson {
  /** The media type of a problem document. */
  public static final String MEDIA_TYPE = "application/problem+json";

  /** The status of a problem that ends when the server is available again. */
  public static final int GOING_DOWN = 503;

  /** The maximum number of diagnostics of one problem. */
  public static final int MAX_DIAGNOSTICS = 1_000;

  private ProblemJson() {}

  /** Returns a problem that does not belong to a statement. */
  public static String text(int status, String title, String detail) {
    return text(status, title, detail, Optional.empty());
  }

  /** Returns the problem of a statement that was rejected, or failed while it ran. */
  public static String text(int status, RqlException error) {
    String title = status < 500 ? "The statement was refused" : "The statement failed while it ran";
    Diagnostic first = error.diagnostics().get(0);
    return text(status, title, first.code() + ": " + first.message(), Optional.of(error));
  }

  /** Returns the line of an answer that a problem ends. */
  public static String line(String problem) {
    return JsonText.object(out -> out.writeName("problem").writeRawValue(problem)) + "\n";
  }

  /** Returns only the diagnostics and their text, as members of an object. */
  public static String diagnostics(RqlException error) {
    return JsonText.object(out -> write(out, error));
  }

  private static String text(
      int status, String title, String detail, Optional<RqlException> error) {
    return JsonText.object(
        out -> {
          out.writeStringProperty("type", "about:blank");
          out.writeStringProperty("title", title);
          out.writeNumberProperty("status", status);
          out.writeStringProperty("detail", detail);
          error.ifPresent(e -> write(out, e));
        });
  }

  private static void write(JsonGenerator out, RqlException error) {
    out.writeName("diagnostics").writeStartArray();
    error.diagnostics().forEach(diagnostic -> write(out, diagnostic));
    out.writeEndArray();
    out.writeName("text").writeString(DiagnosticPrinter.print(error));
  }

  private static void write(JsonGenerator out, Diagnostic diagnostic) {
    out.writeStartObject();
    out.writeName("code").writeString(diagnostic.code());
    out.writeName("message").writeString(diagnostic.message());
    out.writeName("start").writeNumber(diagnostic.range().start());
    out.writeName("end").writeNumber(diagnostic.range().end());
    diagnostic.help().ifPresent(help -> out.writeName("help").writeString(help));
    out.writeEndObject();
  }

  /** Returns whether the same request may succeed when the server is available again. */
  public static boolean isGoingDown(StructValue problem) {
    return hasStatus(problem, GOING_DOWN);
  }

  /** Returns whether another statement might succeed: not if the server gives no access. */
  public static boolean isOfStatement(StructValue problem) {
    return !hasStatus(problem, 401) && !hasStatus(problem, 403) && !hasStatus(problem, 421);
  }

  private static boolean hasStatus(StructValue problem, int wanted) {
    return problem.fields().get("status") instanceof LongValue status && status.value() == wanted;
  }

  /** Returns the problem in one sentence. */
  public static String detail(StructValue problem) {
    return string(problem, "detail")
        .or(() -> string(problem, "title"))
        .orElse("the server gave no reason");
  }

  /**
   * Returns the statement's errors in a problem; empty if it has no diagnostics.
   *
   * @param statement the text that was sent; ranges are limited to it
   */
  public static Optional<RqlException> error(StructValue problem, String statement) {
    if (!(problem.fields().get("diagnostics") instanceof SetValue all)) {
      return Optional.empty();
    }
    List<Diagnostic> diagnostics = new ArrayList<>();
    for (Value element : all.elements()) {
      if (element instanceof StructValue one && diagnostics.size() < MAX_DIAGNOSTICS) {
        diagnostics.add(diagnostic(one, statement.length()));
      }
    }
    diagnostics.sort(Comparator.comparingInt(d -> d.range().start()));
    return diagnostics.isEmpty()
        ? Optional.empty()
        : Optional.of(new RqlException(statement, diagnostics));
  }

  private static Diagnostic diagnostic(StructValue one, int length) {
    int start = position(one, "start", 0, length);
    int end = position(one, "end", start, length);
    return new Diagnostic(
        string(one, "code").orElse("RQL0000"),
        string(one, "message").orElse("the server gave no message"),
        new SourceRange(start, end),
        string(one, "help"));
  }

  private static int position(StructValue one, String name, int low, int high) {
    long position = one.fields().get(name) instanceof LongValue number ? number.value() : low;
    return (int) Math.max(low, Math.min(high, position));
  }

  private static Optional<String> string(StructValue object, String name) {
    return object.fields().get(name) instanceof StringValue text
        ? Optional.of(text.value())
        : Optional.empty();
  }
}
