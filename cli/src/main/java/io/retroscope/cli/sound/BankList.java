package io.retroscope.cli.sound;

import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.sonify.bank.Patch;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.play.Performance;
import io.retroscope.sonify.play.PerformanceFile;
import io.retroscope.sonify.score.Instrument;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
  public static void write(Path file) throws IOException {
    PatchBank bank = PatchBank.standard();
    List<NoteEvent> notes = notes(bank);
    long length = notes.get(notes.size() - 1).micros() + 2 * APART_MICROS;
    PerformanceFile.writeWav(new Performance(notes, length), bank, bank.soundbank(), 16, file);
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
