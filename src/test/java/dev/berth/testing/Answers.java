package dev.berth.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The test shows that Berth does not have the fault, or has the feature, that users of another controller
 * asked for. What that is stands in {@code docs/peer-issues.md}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Answers {
    /** The issues, as GitHub writes them: {@code metallb/metallb#1774}. */
    String[] value();
}
