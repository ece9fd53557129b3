// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.shell.ShellClock;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.sonify.bank.Instrument;
import io.retroscope.sonify.bank.Patch;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.LiveOutput;
import io.retroscope.sonify.play.Performance;
import io.retroscope.sonify.play.PerformanceFile;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The bank as text and as sound. */
public final class BankList {
  private static final long APART_MICROS = 700_000;
  private static final long LENGTH_MICROS = 500_000;
  private static final int[] KEYS = {48, 60, 72};

  private BankList() {}

  /** One line for each patch: its name, how it sounds, and the General MIDI names that it plays. */
  public static List<String> lines() {
    PatchBank bank = PatchBank.standard();
    List<String> lines = new ArrayList<>();
    for (Patch patch : bank.patches()) {
      String names =
          Instrument.names().stream()
              .filter(name -> bank.ofProgram(Instrument.named(name).program()).equals(patch))
              .map(name -> name.toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(", "));
      lines.add(
          "%-6s %-9s %s".formatted(patch.name(), patch.struck() ? "struck" : "sustained", names));
    }
    return lines;
  }

  /** One line for each pair of statements that sound alike. */
  public static List<String> alike(List<Query> statements) {
    return SoundscapeListener.rules(statements).alikeWarnings();
  }

  /** Writes all patches, one after the other, each at three keys. */
  public static void write(Path file, SoundBank samples) throws IOException {
    List<NoteEvent> notes = notes(PatchBank.standard());
    long length = notes.get(notes.size() - 1).micros() + 2 * APART_MICROS;
    PerformanceFile.writeWav(new Performance(notes, length), samples, 16, file);
  }

  /**
   * Prints the line of each patch when its notes sound, or all of them if there is no device.
   *
   * @param device a part of the name of a device; empty for the sound card
   * @throws CommandException if the device is unknown
   */
  public static void play(
      Optional<String> device, SoundBank samples, PrintWriter out, PrintWriter err)
      throws InterruptedException {
    AtomicBoolean silent = new AtomicBoolean();
    Consumer<String> notice =
        message -> {
          silent.set(true);
          err.println(message);
        };
    try (LiveOutput output = LiveDevice.open(device, samples, notice, ShellClock.SYSTEM::nanos)) {
      play(silent.get() ? Optional.empty() : Optional.of(output), ShellClock.SYSTEM, out);
    }
  }

  static void play(Optional<LiveOutput> output, ShellClock clock, PrintWriter out)
      throws InterruptedException {
    PatchBank bank = PatchBank.standard();
    Iterator<NoteEvent> notes = notes(bank).iterator();
    for (String line : lines()) {
      out.println(line);
      out.flush();
      for (int i = 0; output.isPresent() && i < KEYS.length; i++) {
        output.get().advance();
        output.get().now(notes.next());
        clock.pause(APART_MICROS / 1_000);
      }
    }
  }

  static List<NoteEvent> notes(PatchBank bank) {
    List<NoteEvent> notes = new ArrayList<>();
    for (Patch patch : bank.patches()) {
      for (int key : KEYS) {
        long micros = notes.size() * APART_MICROS;
        notes.add(
            new NoteEvent(
                0,
                micros,
                patch.name(),
                Layer.MARK,
                NoteKind.MARK,
                "",
                0,
                patch.name(),
                key,
                96,
                LENGTH_MICROS,
                0));
      }
    }
    return notes;
  }
}
