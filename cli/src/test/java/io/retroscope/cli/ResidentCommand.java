// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import io.retroscope.cli.command.ShellCommand;
import io.retroscope.cli.process.StandardStreams;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/**
 * A process that runs one command after another in its folder, so that not each of them starts a
 * JVM. Those that write to the streams of their process are not among them, but the shell is.
 */
final class ResidentCommand implements AutoCloseable {
  private static final int IDLE_MILLIS = 120_000;
  private static final int MAX_WORDS = 1_000;
  private static final String INPUT = "retroscope.input";

  private static final String TEST_CLASSES =
      ResidentCommand.class.getProtectionDomain().getCodeSource().getLocation().getPath();

  private final Process process;

  private ResidentCommand(Process process) {
    this.process = process;
  }

  /**
   * Starts the process, and writes a script {@code retroscope} to its folder. The script gives it
   * the words and the standard input of a command, and has the output and exit code of the command.
   */
  static ResidentCommand start(Path folder) throws IOException {
    List<String> command =
        new ArrayList<>(
            QuickJava.command(LibraryList.CLIENT.classPath() + File.pathSeparator + TEST_CLASSES));
    command.add(1, CommandRun.SYNTHESIZER);
    command.add(ResidentCommand.class.getName());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(errors(folder).toFile());
    builder.environment().put("HOME", folder.toString());
    builder.environment().remove("RETROSCOPE_SERVER");
    ResidentCommand resident = new ResidentCommand(builder.start());
    writeScript(folder.resolve("retroscope"), resident.port());
    CommandRun.writeScript(folder.resolve("retroscope-process"));
    return resident;
  }

  /** What the process itself writes to its standard error: nothing, if no command is at fault. */
  static Path errors(Path folder) {
    return folder.resolve("resident.err");
  }

  private String port() throws IOException {
    BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    String port = out.readLine();
    if (port == null) {
      throw new IOException("the process that runs commands has ended");
    }
    return port;
  }

  /** In an answer, each line begins with the name of its stream, and the last is the exit code. */
  private static void writeScript(Path script, String port) throws IOException {
    Files.writeString(
        script,
        """
        #!/usr/bin/env bash
        case ${1-} in
          server | store | console | demo | mcp) exec ./retroscope-process "$@" ;;
        esac
        for word; do
          [ "$word" = - ] && cat > %s && break
        done
        exec 3<> /dev/tcp/127.0.0.1/%s || exit 125
        printf '%%s\\0' "$#" "$@" >&3
        while IFS= read -r -u 3 line; do
          case $line in
            o*) printf '%%s\\n' "${line:1}" ;;
            e*) printf '%%s\\n' "${line:1}" >&2 ;;
            x*) exit "${line:1}" ;;
          esac
        done
        echo 'the process that runs commands has ended' >&2
        exit 125
        """
            .formatted(INPUT, port));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** Prints the port, and runs the commands that come to it, until none comes for two minutes. */
  public static void main(String[] args) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      socket.setSoTimeout(IDLE_MILLIS);
      System.out.println(socket.getLocalPort());
      System.setOut(System.err);
      while (true) {
        try (Socket client = socket.accept()) {
          answer(client);
        }
      }
    } catch (SocketTimeoutException none) {
      // The test has ended, or was ended.
    }
  }

  private static void answer(Socket client) throws IOException {
    String[] words = words(client.getInputStream());
    Writer answer = new PrintWriter(client.getOutputStream(), false, StandardCharsets.UTF_8);
    int exitCode;
    try (InputStream in =
            List.of(words).contains("-")
                ? Files.newInputStream(Path.of(INPUT))
                : InputStream.nullInputStream();
        NamedLines out = new NamedLines('o', answer);
        NamedLines err = new NamedLines('e', answer)) {
      System.setIn(in);
      exitCode = words[0].equals("shell") ? shell(in, out, err, words) : command(out, err, words);
    }
    answer.write("x" + exitCode + "\n");
    answer.flush();
  }

  private static int command(Writer out, Writer err, String... words) {
    return Retroscope.run(
        new PrintWriter(out, true), new PrintWriter(err, true), System.getenv(), words);
  }

  /** Its writers are flushed by itself only, as those of a process are. */
  private static int shell(InputStream in, Writer out, Writer err, String... words) {
    CommandLine line = Retroscope.commandLine(words).setErr(new PrintWriter(err, true));
    ShellCommand shell =
        (ShellCommand) line.parseArgs(words).subcommand().commandSpec().userObject();
    return shell.run(
        new StandardStreams(
            in,
            new PrintWriter(out),
            new PrintWriter(err),
            false,
            false,
            false,
            () -> StandardStreams.DEFAULT_WIDTH));
  }

  /** A number of words, and the words; each ends with a zero byte. */
  private static String[] words(InputStream request) throws IOException {
    InputStream in = new BufferedInputStream(request);
    int count = Integer.parseInt(word(in));
    if (count > MAX_WORDS) {
      throw new IOException(count + " words are too many");
    }
    String[] words = new String[count];
    for (int i = 0; i < count; i++) {
      words[i] = word(in);
    }
    return words;
  }

  private static String word(InputStream in) throws IOException {
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    for (int b = in.read(); b != 0; b = in.read()) {
      if (b < 0) {
        throw new EOFException("a word has no end");
      }
      word.write(b);
    }
    return word.toString(StandardCharsets.UTF_8);
  }

  /** Writes whole lines, each with the name of a stream before it, when it is flushed. */
  private static final class NamedLines extends Writer {
    private final char name;
    private final Writer target;
    private final StringBuilder text = new StringBuilder();

    NamedLines(char name, Writer target) {
      this.name = name;
      this.target = target;
    }

    @Override
    public void write(char[] chars, int from, int length) {
      text.append(chars, from, length);
    }

    @Override
    public void flush() throws IOException {
      for (int end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        target.write(name + text.substring(0, end + 1));
        text.delete(0, end + 1);
      }
    }

    @Override
    public void close() throws IOException {
      flush();
      if (!text.isEmpty()) {
        target.write(name + text.toString() + "[the last line has no end]\n");
      }
    }
  }
}
