-- Answers by chat are found by what they answer when its content is purged.
CREATE INDEX clarifications_ref ON clarifications (interaction_ref);
