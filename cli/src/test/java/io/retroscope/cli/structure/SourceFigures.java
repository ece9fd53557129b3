// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Figures of a source tree: files, types, methods, package cycles, the share of public types, and
 * idioms per 1,000 words of comments and pages. Requires only the JDK, so that it also runs on
 * other projects: {@code java SourceFigures.java [--idioms] FOLDER}.
 *
 * <p>It reads text, not syntax trees. Comments and strings are recognised exactly; methods are
 * recognised by their shape in code that google-java-format has laid out.
 */
final class SourceFigures {
  /** Idioms by name, matched case-insensitively. */
  private static final Map<String, Pattern> IDIOMS = idioms();

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+)");
  private static final Pattern TYPE =
      Pattern.compile(
          "(?m)^(public )?(?:(?:abstract|final|sealed|non-sealed|strictfp) )*"
              + "(?:class|interface|enum|record|@interface) (\\w+)");
  private static final Pattern METHOD =
      Pattern.compile(
          "(?m)^( {2,8})(?! |return|throw|new|else|if|for|while|switch|try|case|do|assert|catch)"
              + "(?!(?:\\w+ )*record )"
              + "(?:@\\w+(?:\\([^)]*\\))? )*(?:[\\w.<>\\[\\],?&@ ]+ )?(\\w+)\\([^;{}]*\\)"
              + "(?: throws [\\w., \\n]+)?\\s*\\{$");
  private static final Pattern FIELD =
      Pattern.compile(
          "(?m)^ {2}(?! |.*\\bstatic\\b)(?:@\\w+(?:\\([^)\\n]*\\))? )?"
              + "[\\w.<>\\[\\],?@ ]+ \\w+(?: =|;)");
  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z'-]*");
  private static final Pattern LINE_MARK = Pattern.compile("^(?:/\\*\\*?|\\*/?|//|>)\\s?");
  private static final Pattern MARKUP =
      Pattern.compile(
          "\\{@(?:code|link|linkplain|literal|value|snippet)[^{}]*(?:\\{[^{}]*\\}[^{}]*)*\\}"
              + "|<pre>.*?</pre>|https?://\\S+",
          Pattern.DOTALL);
  private static final Pattern PAGE_MARKUP =
      Pattern.compile("(?ms)^```.*?^```[ \\t]*$|^ {4}.*?$|`[^`\\n]*`|\\]\\([^)]*\\)|https?://\\S+");

  private final Map<String, Set<String>> imports = new TreeMap<>();
  private final Map<String, Integer> found = new LinkedHashMap<>();
  private final List<String> places = new ArrayList<>();
  private final Map<String, List<String>> candidates = new HashMap<>();
  private final List<Integer> methodLines = new ArrayList<>();
  private final Map<String, Integer> typesOfPackage = new TreeMap<>();
  private Largest longestMethod = Largest.NONE;
  private Largest longestFile = Largest.NONE;
  private Largest mostFields = Largest.NONE;
  private int files;
  private int codeLines;
  private int types;
  private int publicTypes;
  private int commentWords;
  private int pageWords;
  private int pageIdioms;

  /**
   * The largest of several counts.
   *
   * @param place the method, file, class or package with this count
   */
  record Largest(int count, String place) {
    static final Largest NONE = new Largest(0, "");

    Largest or(int otherCount, String otherPlace) {
      return otherCount > count ? new Largest(otherCount, otherPlace) : this;
    }
  }

  private static Map<String, Pattern> idioms() {
    Map<String, String> patterns = new LinkedHashMap<>();
    patterns.put("what is", "what (?:is|are|was|were)");
    patterns.put("stand", "stands?|stood|standing");
    patterns.put("tell", "tells?|telling");
    patterns.put("told", "told");
    patterns.put("ask", "asks?|asking");
    patterns.put("asked", "asked");
    // "Two versions behind", "falls behind" and "the server behind a relay" are plain English.
    patterns.put(
        "behind",
        "(?<!(?:versions?|entries|writes|far|close|falls|fell|fallen|fall|is|are|lags|steps) )"
            + "behind(?! (?:a|the) (?:relay|proxy|firewall|interface))");
    patterns.put("who", "who|whom|whoever|nobody|somebody|anybody|everybody");
    patterns.put("go on", "(?:go|goes|going|went|gone) on");
    patterns.put(
        ", for", "(?<=\\w, )for (?:it|they|there|this|that|these|those|no|its|their|nothing|then)");
    patterns.put("so many", "so (?:many|much|long) (?!that|as)\\w+");
    patterns.put("let go", "lets? go");
    patterns.put("take for", "(?:takes?|taken|took) (?:\\w+ )?for (?:an?|the|lost|one)");
    patterns.put("lie", "lies|lay");
    patterns.put("an own", "an own");
    patterns.put("is to", "(?:is|are|was|were) to (?!the|an?\\b)\\w+");
    Map<String, Pattern> compiled = new LinkedHashMap<>();
    patterns.forEach(
        (name, pattern) ->
            compiled.put(
                name, Pattern.compile("\\b(?:" + pattern + ")\\b", Pattern.CASE_INSENSITIVE)));
    return Collections.unmodifiableMap(compiled);
  }

  private SourceFigures() {
    IDIOMS.keySet().forEach(name -> found.put(name, 0));
  }

  /** Reads all Java sources and Markdown pages below a folder, except build output. */
  static SourceFigures of(Path folder) throws IOException {
    SourceFigures figures = new SourceFigures();
    for (Path path : sources(folder)) {
      String text = Files.readString(path);
      String name = folder.relativize(path).toString();
      if (name.endsWith(".java")) {
        figures.addSource(name, text);
      } else {
        figures.addPage(name, text);
      }
    }
    return figures;
  }

  /** Build output is not entered, because files come and go there while other tests run. */
  private static List<Path> sources(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            String name = String.valueOf(folder.getFileName());
            boolean isSkipped = name.equals("target") || name.startsWith(".");
            return isSkipped && !folder.equals(root)
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = String.valueOf(file.getFileName());
            if (!name.startsWith(".") && (name.endsWith(".java") || name.endsWith(".md"))) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    found.sort(null);
    return found;
  }

  private void addSource(String name, String text) {
    StringBuilder code = new StringBuilder(text.length());
    StringBuilder comments = new StringBuilder();
    split(text, code, comments);
    commentWords += count(name, comments, MARKUP);
    if (("/" + name).contains("/src/main/") || !("/" + name).contains("/src/")) {
      addCode(name, code.toString());
      longestFile = longestFile.or((int) text.lines().count(), name);
    }
  }

  private void addPage(String name, String text) {
    int before = idiomCount();
    pageWords += count(name, text, PAGE_MARKUP);
    pageIdioms += idiomCount() - before;
  }

  private int count(String name, CharSequence prose, Pattern markup) {
    String text = markup.matcher(prose).replaceAll(match -> blank(match.group()));
    String[] lines = text.split("\n", -1);
    StringBuilder flat = new StringBuilder(text.length());
    for (String line : lines) {
      flat.append(LINE_MARK.matcher(line.strip()).replaceFirst("")).append('\n');
    }
    String joined = flat.toString();
    String spaced = joined.replace('\n', ' ');
    Map<String, Matcher> matchers = new LinkedHashMap<>();
    IDIOMS.forEach(
        (idiom, pattern) ->
            matchers.put(idiom, pattern.matcher(spaced).useTransparentBounds(true)));
    Map<String, Integer> searched = new HashMap<>();
    int words = 0;
    for (Matcher word = WORD.matcher(joined); word.find(); words++) {
      for (String idiom : candidates.computeIfAbsent(word.group(), SourceFigures::beginningWith)) {
        Matcher matcher = matchers.get(idiom).region(word.start(), spaced.length());
        if (word.start() >= searched.getOrDefault(idiom, 0) && matcher.lookingAt()) {
          searched.put(idiom, matcher.end());
          add(name, idiom, joined, matcher);
        }
      }
    }
    return words;
  }

  /** The idioms that can begin with a word: most words begin none, which spares the search. */
  private static List<String> beginningWith(String word) {
    String text = "x, " + word;
    List<String> possible = new ArrayList<>();
    IDIOMS.forEach(
        (idiom, pattern) -> {
          Matcher matcher = pattern.matcher(text).useTransparentBounds(true);
          matcher.region(text.length() - word.length(), text.length());
          if (matcher.lookingAt() || matcher.hitEnd()) {
            possible.add(idiom);
          }
        });
    return possible;
  }

  private void add(String name, String idiom, String joined, Matcher matcher) {
    found.merge(idiom, 1, Integer::sum);
    long line = joined.substring(0, matcher.start()).chars().filter(c -> c == '\n').count();
    int from = Math.max(0, matcher.start() - 40);
    int to = Math.min(joined.length(), matcher.end() + 40);
    places.add(
        "%s:%d: %s: ...%s..."
            .formatted(name, line + 1, idiom, joined.substring(from, to).replace('\n', ' ')));
  }

  /** Separates code and comments; both keep their lines. */
  private static void split(String text, StringBuilder code, StringBuilder comments) {
    int at = 0;
    while (at < text.length()) {
      int end;
      boolean comment = false;
      if (text.startsWith("/*", at)) {
        end = endOf(text, "*/", at + 2);
        comment = true;
      } else if (text.startsWith("//", at)) {
        int newline = text.indexOf('\n', at);
        end = newline < 0 ? text.length() : newline;
        comment = true;
      } else if (text.startsWith("\"\"\"", at)) {
        end = endOf(text, "\"\"\"", at + 3);
      } else if (text.charAt(at) == '"' || text.charAt(at) == '\'') {
        end = endOfLiteral(text, at);
      } else {
        end = at + 1;
        code.append(text.charAt(at));
        comments.append(text.charAt(at) == '\n' ? '\n' : ' ');
        at = end;
        continue;
      }
      String part = text.substring(at, end);
      String blank = blank(part);
      code.append(comment ? blank : part.charAt(0) + blank.substring(1));
      comments.append(comment ? part : blank);
      at = end;
    }
  }

  /** Spaces, and the ends of the lines. */
  private static String blank(String text) {
    char[] blank = text.toCharArray();
    for (int i = 0; i < blank.length; i++) {
      blank[i] = blank[i] == '\n' ? '\n' : ' ';
    }
    return new String(blank);
  }

  private static int endOf(String text, String mark, int from) {
    int end = text.indexOf(mark, from);
    return end < 0 ? text.length() : end + mark.length();
  }

  private static int endOfLiteral(String text, int start) {
    char quote = text.charAt(start);
    int at = start + 1;
    while (at < text.length() && text.charAt(at) != quote && text.charAt(at) != '\n') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(text.length(), at + 1);
  }

  private void addCode(String name, String code) {
    files++;
    codeLines += (int) code.lines().filter(line -> !line.isBlank()).count();
    Matcher named = PACKAGE.matcher(code);
    String own = named.find() ? named.group(1) : "";
    Set<String> used = imports.computeIfAbsent(own, key -> new TreeSet<>());
    Matcher imported = IMPORT.matcher(code);
    while (imported.find()) {
      used.add(packageOf(imported.group(1)));
    }
    Matcher type = TYPE.matcher(code);
    while (type.find()) {
      types++;
      typesOfPackage.merge(own, 1, Integer::sum);
      publicTypes += type.group(1) == null ? 0 : 1;
    }
    Matcher method = METHOD.matcher(code);
    while (method.find()) {
      int close = code.indexOf("\n" + method.group(1) + "}", method.end());
      if (close > 0) {
        int lines = (int) code.substring(method.end(), close + 1).lines().count() - 1;
        methodLines.add(lines);
        longestMethod = longestMethod.or(lines, name + ": " + method.group(2));
      }
    }
    mostFields = mostFields.or((int) FIELD.matcher(code).results().count(), name);
  }

  /**
   * The package by convention: the parts before the first one that starts with a capital letter.
   */
  private static String packageOf(String name) {
    StringBuilder result = new StringBuilder();
    for (String part : name.split("\\.", -1)) {
      if (!part.isEmpty() && Character.isUpperCase(part.charAt(0))) {
        break;
      }
      result.append(result.length() == 0 ? "" : ".").append(part);
    }
    return result.toString();
  }

  /** The number of packages that can be reached from themselves. */
  int cyclicPackageCount() {
    int count = 0;
    for (String start : imports.keySet()) {
      Set<String> seen = new TreeSet<>();
      List<String> open = new ArrayList<>(neighbours(start));
      while (!open.isEmpty()) {
        String next = open.remove(open.size() - 1);
        if (seen.add(next)) {
          open.addAll(neighbours(next));
        }
      }
      count += seen.contains(start) ? 1 : 0;
    }
    return count;
  }

  private List<String> neighbours(String name) {
    return imports.getOrDefault(name, Set.of()).stream()
        .filter(other -> !other.equals(name) && imports.containsKey(other))
        .toList();
  }

  private int idiomCount() {
    return found.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Idioms per 1,000 words of comments and pages. */
  double idiomRate() {
    return 1_000.0 * idiomCount() / Math.max(1, commentWords + pageWords);
  }

  /** The lines of the longest method. */
  Largest longestMethod() {
    return longestMethod;
  }

  /** The lines of the longest file of main code. */
  Largest longestFile() {
    return longestFile;
  }

  /** The fields of the top-level class with the most, without static ones. */
  Largest mostFields() {
    return mostFields;
  }

  /** The top-level types of the package with the most. */
  Largest mostTypes() {
    Largest most = Largest.NONE;
    for (Map.Entry<String, Integer> entry : typesOfPackage.entrySet()) {
      most = most.or(entry.getValue(), entry.getKey());
    }
    return most;
  }

  /** The locations of the idioms, one per line. */
  List<String> places() {
    return List.copyOf(places);
  }

  /** The figures as a Markdown table. */
  String table() {
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("files of main code", "%,d".formatted(files));
    rows.put("lines of main code", "%,d".formatted(codeLines));
    rows.put("packages", "%,d".formatted(imports.size()));
    rows.put("packages in a cycle", "%,d".formatted(cyclicPackageCount()));
    rows.put("top-level types", "%,d".formatted(types));
    rows.put("of which public", "%.0f %%".formatted(100.0 * publicTypes / Math.max(1, types)));
    rows.put("methods", "%,d".formatted(methodLines.size()));
    rows.put("lines per method: median, 99th percentile, longest", percentiles());
    rows.put("lines of the longest file", "%,d".formatted(longestFile.count()));
    rows.put("fields of the class with the most", "%,d".formatted(mostFields.count()));
    rows.put("types of the package with the most", "%,d".formatted(mostTypes().count()));
    rows.put("words of comments", "%,d".formatted(commentWords));
    rows.put("words of pages", "%,d".formatted(pageWords));
    rows.put("idioms per 1,000 words", "%.2f".formatted(idiomRate()));
    rows.put(
        "... of comments alone",
        "%.2f".formatted(1_000.0 * (idiomCount() - pageIdioms) / Math.max(1, commentWords)));
    found.forEach(
        (name, count) ->
            rows.put(
                "... \"" + name + "\"",
                "%.2f".formatted(1_000.0 * count / Math.max(1, commentWords + pageWords))));
    StringBuilder text = new StringBuilder("| figure | value |\n| --- | --- |\n");
    rows.forEach((name, value) -> text.append("| " + name + " | " + value + " |\n"));
    return text.toString();
  }

  private String percentiles() {
    int[] sorted = methodLines.stream().mapToInt(Integer::intValue).sorted().toArray();
    return sorted.length == 0
        ? "-"
        : "%d, %d, %d"
            .formatted(
                sorted[sorted.length / 2],
                sorted[(int) (sorted.length * 0.99)],
                sorted[sorted.length - 1]);
  }

  /** Prints the table, or with {@code --idioms} the locations of the idioms. */
  public static void main(String[] args) {
    List<String> arguments = new ArrayList<>(Arrays.asList(args));
    boolean list = arguments.remove("--idioms");
    Path folder = Path.of(arguments.isEmpty() ? "." : arguments.get(0)).toAbsolutePath();
    try {
      SourceFigures figures = of(folder);
      if (list) {
        figures.places().forEach(System.out::println);
      } else {
        System.out.print(figures.table());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
