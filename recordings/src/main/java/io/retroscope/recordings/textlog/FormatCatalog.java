// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The formats of text logs: the built-in ones, and those of users. Immutable. */
public final class FormatCatalog {
  private static final String RESOURCE = "formats.json";

  /** The formats that come with the program. */
  public static final FormatCatalog BUILT_IN = new FormatCatalog(List.of(), builtIn(), "");

  private final List<LineFormat> own;
  private final List<LineFormat> all;
  private final String text;

  private FormatCatalog(List<LineFormat> own, List<LineFormat> builtIn, String text) {
    this.text = text;
    this.own = List.copyOf(own);
    List<LineFormat> formats = new ArrayList<>(own);
    formats.addAll(builtIn);
    all = List.copyOf(formats);
  }

  private static List<LineFormat> builtIn() {
    List<LineFormat> formats = new ArrayList<>(List.of(JsonFormat.OF_SERVICES, new CriFormat()));
    formats.add(new KlogFormat());
    formats.add(new LogfmtFormat());
    try (InputStream in = FormatCatalog.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new AssertionError("the resource " + RESOURCE + " is missing");
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      formats.addAll(FormatDefinitions.read(RESOURCE, text));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    // Their forms are so general that more special ones come before.
    formats.add(new SyslogFormat());
    formats.add(new HeaderFormat());
    return formats;
  }

  /**
   * The built-in formats and those of files, which come first.
   *
   * @param given files with the ending .json, and folders of such files
   * @throws FormatException if a definition is invalid
   * @throws IOException if a file cannot be read
   */
  public static FormatCatalog with(List<Path> given) throws IOException {
    List<LineFormat> own = new ArrayList<>();
    Set<String> names = new HashSet<>();
    StringBuilder texts = new StringBuilder();
    for (Path path : given) {
      for (Path file : filesOf(path)) {
        if (Files.size(file) > FormatDefinitions.MAX_LENGTH) {
          throw new FormatException(file + ": is too long for a file of formats");
        }
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        texts.append(text);
        for (LineFormat format : FormatDefinitions.read(file.toString(), text)) {
          if (!names.add(format.name())) {
            throw new FormatException(
                "%s: format \"%s\" is defined twice".formatted(file, format.name()));
          }
          own.add(format);
        }
      }
    }
    return new FormatCatalog(own, BUILT_IN.all, texts.toString());
  }

  /**
   * The built-in formats and those of a text, which come first.
   *
   * @param file its name, for errors
   * @throws FormatException if a definition is invalid
   */
  public static FormatCatalog with(String file, String text) {
    return new FormatCatalog(FormatDefinitions.read(file, text), BUILT_IN.all, text);
  }

  private static List<Path> filesOf(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> files = Files.walk(path, 4)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
      if (found.isEmpty()) {
        throw new FormatException(path + ": is a folder without files of formats (*.json)");
      }
      return found;
    }
  }

  /** All formats, in the order in which they are tried. */
  public List<LineFormat> all() {
    return all;
  }

  /** The formats of users. */
  public List<LineFormat> own() {
    return own;
  }

  /** A text that differs if the definitions do. */
  String fingerprint() {
    return text;
  }

  /** The format of a name; of several, one of a user. */
  public Optional<LineFormat> find(String name) {
    return all.stream().filter(format -> format.name().equals(name)).findFirst();
  }
}
