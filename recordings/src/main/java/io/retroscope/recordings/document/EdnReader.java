// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A reader of Clojure's data notation: keywords and symbols become texts, vectors, lists and sets
 * become lists, and tags of values are left out. One value is in memory at a time. Used by one
 * thread.
 */
final class EdnReader {
  private static final int END = -1;
  private static final int MAX_TOKEN_LENGTH = 1 << 20;

  private final PushbackReader in;
  private long line = 1;
  private long valueLine = 1;
  private long bytes;

  /** A receiver of values. */
  interface Receiver {
    /** Takes a value that begins at a line. */
    void take(Item value, long line);
  }

  /** The rest of a stream, in UTF-8. */
  EdnReader(InputStream in) {
    this.in = new PushbackReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()), 2);
  }

  /** Passes on each value; of lists and vectors at the top, each element. */
  void forEach(Receiver receiver) {
    int open = 0;
    for (int c = nextSign(); c != END; c = nextSign()) {
      if (open == 0 && (c == '[' || c == '(')) {
        open = c == '[' ? ']' : ')';
      } else if (c == open) {
        open = 0;
      } else {
        valueLine = line;
        bytes = 0;
        long at = line;
        receiver.take(value(c, 0), at);
      }
    }
    if (open != 0) {
      throw DocumentException.cutOff(line);
    }
  }

  private Item value(int c, int depth) {
    charge(0);
    if (depth > Item.MAX_DEPTH) {
      throw mistake("nested deeper than " + Item.MAX_DEPTH + " levels");
    }
    return switch (c) {
      case '{' -> map(depth);
      case '[' -> list(']', depth);
      case '(' -> list(')', depth);
      case '"' -> string();
      case '\\' -> Item.of(character());
      case '#' -> tagged(depth);
      case ':' -> Item.of(token(requiredRead()));
      case '^' -> {
        value(requiredSign(), depth + 1);
        yield value(requiredSign(), depth + 1);
      }
      case '}', ']', ')' -> throw mistake("unexpected " + (char) c);
      default -> scalar(token(c));
    };
  }

  private Item map(int depth) {
    Map<String, Item> fields = Item.newFields();
    for (int c = requiredSign(); c != '}'; c = requiredSign()) {
      Item key = value(c, depth + 1);
      int next = requiredSign();
      if (next == '}') {
        throw mistake("a map has a key without a value");
      }
      String name = key.isMap() || key.isList() ? key.json() : key.text();
      fields.put(name, value(next, depth + 1));
    }
    return Item.of(fields);
  }

  private Item list(char end, int depth) {
    List<Item> elements = new ArrayList<>();
    for (int c = requiredSign(); c != end; c = requiredSign()) {
      elements.add(value(c, depth + 1));
    }
    return Item.of(elements);
  }

  /** A set, an infinite or missing number, or a value after its tag. */
  private Item tagged(int depth) {
    int c = requiredRead();
    if (c == '{') {
      return list('}', depth);
    }
    if (c == '#') {
      return switch (token(requiredRead())) {
        case "Inf" -> new Item(Double.POSITIVE_INFINITY);
        case "-Inf" -> new Item(Double.NEGATIVE_INFINITY);
        default -> new Item(Double.NaN);
      };
    }
    token(c);
    return value(requiredSign(), depth + 1);
  }

  private Item string() {
    StringBuilder text = new StringBuilder();
    for (int c = requiredRead(); c != '"'; c = requiredRead()) {
      charge(1);
      text.append(c == '\\' ? escaped(requiredRead()) : (char) c);
    }
    return Item.of(text.toString());
  }

  private char escaped(int c) {
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        StringBuilder digits = new StringBuilder();
        for (int i = 0; i < 4; i++) {
          digits.append((char) requiredRead());
        }
        yield hexadecimal(digits.toString());
      }
      case '"', '\\' -> (char) c;
      default -> throw mistake("unknown escape \\" + (char) c);
    };
  }

  private char hexadecimal(String digits) {
    if (!digits.matches("[0-9a-fA-F]{4}")) {
      throw mistake("unknown character \\u" + digits);
    }
    return (char) Integer.parseInt(digits, 16);
  }

  private String character() {
    String name = token(requiredRead());
    return switch (name) {
      case "newline" -> "\n";
      case "space" -> " ";
      case "tab" -> "\t";
      case "return" -> "\r";
      default ->
          name.length() == 5 && name.startsWith("u")
              ? String.valueOf(hexadecimal(name.substring(1)))
              : name;
    };
  }

  private static Item scalar(String token) {
    return switch (token) {
      case "nil" -> Item.NOTHING;
      case "true" -> Item.of(true);
      case "false" -> Item.of(false);
      default -> number(token);
    };
  }

  private static Item number(String token) {
    if (!token.matches("[-+]?\\d[\\d.eE+-]*[NM]?")) {
      return Item.of(token);
    }
    String digits = token.replaceAll("[NM]$", "").replaceFirst("^\\+", "");
    try {
      return digits.matches("-?\\d+")
          ? new Item(Long.parseLong(digits))
          : new Item(Double.parseDouble(digits));
    } catch (NumberFormatException e) {
      return Item.of(token);
    }
  }

  /** The characters up to the next space, sign or end. */
  private String token(int first) {
    StringBuilder token = new StringBuilder();
    token.append((char) first);
    for (int c = read(); c != END; c = read()) {
      if (Character.isWhitespace(c) || ",;\"(){}[]".indexOf(c) >= 0) {
        unread(c);
        break;
      }
      charge(1);
      if (token.length() > MAX_TOKEN_LENGTH) {
        throw mistake("a name or number is too long");
      }
      token.append((char) c);
    }
    return token.toString();
  }

  private int requiredSign() {
    int c = nextSign();
    if (c == END) {
      throw DocumentException.cutOff(line);
    }
    return c;
  }

  private int requiredRead() {
    int c = read();
    if (c == END) {
      throw DocumentException.cutOff(line);
    }
    return c;
  }

  /** The next character that is no space, and neither in a comment nor of a discarded value. */
  private int nextSign() {
    while (true) {
      int c = read();
      if (c == ';') {
        while (c != '\n' && c != END) {
          c = read();
        }
      } else if (c == '#') {
        int next = read();
        if (next != '_') {
          unread(next);
          return c;
        }
        value(requiredSign(), 1);
      } else if (c == END || !(Character.isWhitespace(c) || c == ',' || c == '\uFEFF')) {
        return c;
      }
    }
  }

  private int read() {
    try {
      int c = in.read();
      line += c == '\n' ? 1 : 0;
      return c;
    } catch (CharacterCodingException e) {
      throw mistake("not valid UTF-8");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void unread(int c) {
    try {
      if (c != END) {
        in.unread(c);
        line -= c == '\n' ? 1 : 0;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void charge(int characters) {
    bytes += characters == 0 ? Item.BYTES : 2L * characters;
    if (bytes > Item.MAX_BYTES) {
      throw DocumentException.at(
          valueLine, "one value takes more than %d MiB".formatted(Item.MAX_BYTES >> 20));
    }
  }

  private DocumentException mistake(String reason) {
    return DocumentException.at(line, reason);
  }
}
