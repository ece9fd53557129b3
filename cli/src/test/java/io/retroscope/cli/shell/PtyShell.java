// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.pty4j.PtyProcess;
import io.retroscope.cli.Pseudoterminal;
import io.retroscope.cli.QuickJava;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jline.utils.ScreenTerminal;

/** A shell in a real pseudo-terminal, with access to its screen. */
final class PtyShell implements AutoCloseable {
  static final String ENTER = "\r";
  static final String TAB = "\t";

  /** The key in the mode that the line editor switches on. */
  static final String UP = "\u001BOA";

  /** The marks of a terminal around pasted text. */
  static final String PASTE_BEGINS = "\u001B[200~";

  static final String PASTE_ENDS = "\u001B[201~";
  static final String CTRL_C = "\u0003";
  static final String CTRL_D = "\u0004";
  static final String CTRL_R = "\u0012";
  static final String PROMPT = "rql>";

  private static final String CTRL_L = "\u000C";
  private static final String EDITS = "\u001B[?2004h";
  private static final String EDITS_NO_MORE = "\u001B[?2004l";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int COLUMNS = Pseudoterminal.COLUMNS;
  private static final int ROWS = Pseudoterminal.ROWS;

  private final Pseudoterminal terminal;
  private final PtyProcess process;
  private final ScreenTerminal screen = new ScreenTerminal(COLUMNS, ROWS);
  private final Thread reader;
  private volatile boolean isEditing;

  /** The last characters, of which a sequence may be the begin; used by the reader only. */
  private String tail = "";

  PtyShell(Path home, String argument, Map<String, String> more) throws IOException {
    this(home, List.of(argument), "", more);
  }

  /**
   * Starts a shell from a command line.
   *
   * @param redirect a redirection of the command line, such as {@code 2>err.txt}
   */
  PtyShell(Path home, List<String> arguments, String redirect, Map<String, String> more)
      throws IOException {
    List<String> command = new ArrayList<>();
    Collections.addAll(command, "/bin/sh", "-c", "exec \"$@\" " + redirect, "sh");
    command.addAll(QuickJava.command(System.getProperty("java.class.path")));
    Collections.addAll(
        command,
        "-Duser.home=" + home,
        "-Djava.io.tmpdir=" + home, // A killed shell does not delete its native library.
        ShellProcess.class.getName());
    command.addAll(arguments);
    terminal = new Pseudoterminal(command, home, more);
    process = terminal.process();
    reader = new Thread(this::read, "pty reader");
    reader.setDaemon(true);
    reader.start();
  }

  /** Returns a shell on a fake session, at its prompt. */
  static PtyShell atPrompt(Path home) throws IOException {
    PtyShell shell = new PtyShell(home, ShellProcess.FAKE, Map.of());
    shell.awaitText(PROMPT);
    return shell;
  }

  private void read() {
    char[] buffer = new char[4096];
    try (Reader in = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        String text = new String(buffer, 0, count);
        screen.write(text);
        follow(text);
        String answer = screen.read();
        if (!answer.isEmpty()) {
          type(answer);
        }
      }
      terminal.awaitEnd();
    } catch (IOException | UncheckedIOException | InterruptedException ended) {
      // The process has ended, but the screen remains.
    }
  }

  /** Notices when the editor of lines begins and ends: it tells the terminal how to paste. */
  private void follow(String text) {
    String seen = tail + text;
    int begin = seen.lastIndexOf(EDITS);
    int end = seen.lastIndexOf(EDITS_NO_MORE);
    if (begin != end) {
      isEditing = begin > end;
    }
    tail = seen.substring(Math.max(0, seen.length() - EDITS.length() + 1));
  }

  void type(String keys) {
    try {
      process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Types a line, waits until it appears, and sends it. */
  void enter(String line) {
    type(line);
    awaitText(line);
    isEditing = false;
    type(ENTER);
  }

  /** Waits until a text appears anywhere on the screen. */
  void awaitText(String text) {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .atMost(PATIENCE)
        .failFast("ended without: " + text, () -> hasEnded() && !text().contains(text))
        .conditionEvaluationListener(null)
        .untilAsserted(() -> assertThat(text()).contains(text));
  }

  /** Waits until the last non-empty line matches. */
  void awaitLastLine(String regex) {
    awaitMatch(this::lastLine, regex);
  }

  /** Waits until the whole screen matches. */
  void awaitMatch(String regex) {
    awaitMatch(this::text, regex);
  }

  private static void awaitMatch(Supplier<String> text, String regex) {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(text.get()).matches(regex));
  }

  /**
   * Discards the line, and all that is on the screen except for the prompt. Waits until the line
   * before is done: a Ctrl-C discards what was typed and is not read yet.
   */
  void clear() {
    await().atMost(PATIENCE).until(() -> isEditing);
    type(CTRL_C + CTRL_L);
    awaitMatch(PROMPT);
  }

  private boolean hasEnded() {
    return !process.isAlive() && !reader.isAlive();
  }

  String lastLine() {
    String text = text().stripTrailing();
    return text.substring(text.lastIndexOf('\n') + 1);
  }

  /** Returns the content of the screen, without trailing whitespace. */
  String text() {
    long[] cells = cells();
    StringBuilder text = new StringBuilder();
    for (int row = 0; row < ROWS; row++) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < COLUMNS; column++) {
        int c = ScreenTerminal.cellCodePoint(cells[row * COLUMNS + column]);
        line.appendCodePoint(c == 0 ? ' ' : c);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString().stripTrailing();
  }

  /** Returns whether any cell of the screen has a property. */
  boolean anyCell(LongPredicate property) {
    for (long cell : cells()) {
      if (property.test(cell)) {
        return true;
      }
    }
    return false;
  }

  private long[] cells() {
    long[] cells = new long[COLUMNS * ROWS];
    screen.dump(cells, new int[2]);
    return cells;
  }

  int exitCode() throws InterruptedException {
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("the shell is still there; it shows\n" + text());
    }
    reader.join(PATIENCE.toMillis());
    return process.exitValue();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
