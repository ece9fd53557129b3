@NullMarked
package io.retroscope.dist;

import org.jspecify.annotations.NullMarked;
