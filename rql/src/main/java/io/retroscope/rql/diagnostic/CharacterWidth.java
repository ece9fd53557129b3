// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The widths of characters in a terminal with fixed columns. */
public final class CharacterWidth {
  /** The code points whose East Asian Width is wide or fullwidth (Unicode, annex 11), in hex. */
  private static final String WIDE =
      """
      1100-115F 231A-231B 2329-232A 23E9-23EC 23F0-23F0 23F3-23F3 25FD-25FE 2614-2615
      2630-2637 2648-2653 267F-267F 268A-268F 2693-2693 26A1-26A1 26AA-26AB 26BD-26BE
      26C4-26C5 26CE-26CE 26D4-26D4 26EA-26EA 26F2-26F3 26F5-26F5 26FA-26FA 26FD-26FD
      2705-2705 270A-270B 2728-2728 274C-274C 274E-274E 2753-2755 2757-2757 2795-2797
      27B0-27B0 27BF-27BF 2B1B-2B1C 2B50-2B50 2B55-2B55 2E80-303E 3041-3247 3250-A4CF
      A960-A97C AC00-D7A3 F900-FAFF FE10-FE19 FE30-FE6F FF00-FF60 FFE0-FFE6
      16FE0-16FF1 17000-187F7 18800-18CD5 18CFF-18D08 1AFF0-1AFFE 1B000-1B2FB
      1D300-1D356 1D360-1D376 1F004-1F004 1F0CF-1F0CF 1F18E-1F18E 1F191-1F19A
      1F1E6-1F202 1F210-1F23B 1F240-1F248 1F250-1F251 1F260-1F265 1F300-1F320
      1F32D-1F335 1F337-1F37C 1F37E-1F393 1F3A0-1F3CA 1F3CF-1F3D3 1F3E0-1F3F0
      1F3F4-1F3F4 1F3F8-1F43E 1F440-1F440 1F442-1F4FC 1F4FF-1F53D 1F54B-1F54E
      1F550-1F567 1F57A-1F57A 1F595-1F596 1F5A4-1F5A4 1F5FB-1F64F 1F680-1F6C5
      1F6CC-1F6CC 1F6D0-1F6D2 1F6D5-1F6D7 1F6DC-1F6DF 1F6EB-1F6EC 1F6F4-1F6FC
      1F7E0-1F7EB 1F7F0-1F7F0 1F90C-1F93A 1F93C-1F945 1F947-1F9FF 1FA70-1FA7C
      1FA80-1FA89 1FA8F-1FAC6 1FACE-1FADC 1FADF-1FAE9 1FAF0-1FAF8 20000-2FFFD
      30000-3FFFD
      """;

  private static final int SOFT_HYPHEN = 0xAD;

  /** The last code point of each range of {@link #WIDE}, by its first one. */
  private static final TreeMap<Integer, Integer> LAST_OF_WIDE = new TreeMap<>();

  static {
    Arrays.stream(WIDE.strip().split("\\s+", -1))
        .map(range -> range.split("-", -1))
        .forEach(ends -> LAST_OF_WIDE.put(codePoint(ends[0]), codePoint(ends[1])));
  }

  private CharacterWidth() {}

  private static int codePoint(String hex) {
    return Integer.parseInt(hex, 16);
  }

  /** The columns of a text: wide characters have two, combining and control characters none. */
  public static int of(String text) {
    return text.codePoints().map(CharacterWidth::of).sum();
  }

  private static int of(int codePoint) {
    if (codePoint >= ' ' && codePoint <= '~') {
      return 1;
    }
    if (isWithoutWidth(codePoint)) {
      return 0;
    }
    Map.Entry<Integer, Integer> wide = LAST_OF_WIDE.floorEntry(codePoint);
    return wide != null && codePoint <= wide.getValue() ? 2 : 1;
  }

  private static boolean isWithoutWidth(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL, Character.NON_SPACING_MARK, Character.ENCLOSING_MARK -> true;
      case Character.FORMAT -> codePoint != SOFT_HYPHEN;
      default -> isPartOfHangulSyllable(codePoint) || isSkinTone(codePoint);
    };
  }

  /** Vowels and final consonants of Hangul are drawn into the syllable of the consonant before. */
  private static boolean isPartOfHangulSyllable(int codePoint) {
    return codePoint >= 0x1160 && codePoint <= 0x11FF;
  }

  /** These change the colour of the emoji before them. */
  private static boolean isSkinTone(int codePoint) {
    return codePoint >= 0x1F3FB && codePoint <= 0x1F3FF;
  }
}
